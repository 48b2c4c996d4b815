import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { accountActor } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { USER_TOPIC } from '../../../identity/users/users.public.js';
import { EmailReservations } from '../../../identity/users/email-reservations.service.js';
import { User } from '../../../identity/users/user.entity.js';
import { emailKey, takenError } from '../../../identity/users/users.service.js';
import { EMAIL_CANCEL, EMAIL_CHANGE, EMAIL_CHANGE_LIFETIME_SECONDS, passwordMark } from './email-change.service.js';
import { granted } from '../verification/mail-proof.service.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

/** Ends a pending change of address: confirmed from the new one, or cancelled from the old one. */
@Injectable()
export class EmailChangeCompletionService {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly secrets: OneTimeSecrets,
    private readonly credentials: AccountCredentials,
    private readonly reservations: EmailReservations,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Confirms the change: the account's address becomes the new one, which is proven by this. The password stays: who asked for the
   * change knew it. What was mailed to the old address is worthless from now on, but for the link that takes the change back: until
   * that ends, nobody else gets the old address if it was proven.
   *
   * @throws AppError `token_invalid`, `token_expired`, `email_taken` (400).
   */
  async confirm(token: string, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = granted(await this.secrets.consumeToken(manager, EMAIL_CHANGE, token));
      const user = await manager.findOneByOrFail(User, { id: userId });
      await this.reservations.add(manager, user, EMAIL_CHANGE_LIFETIME_SECONDS);
      await this.setEmail(manager, userId, { email: data.newEmail, verifiedAt: this.clock.now() }, origin);
      await this.credentials.revokeOutstanding(manager, userId);
      notify(USER_TOPIC, userId);
    });
  }

  /**
   * Cancels a change that the owner of the old address did not ask for (or takes it back, if it was confirmed already, with those that
   * followed). The address is as proven as it was before. Every credential that was created since the request is revoked, or every
   * credential if the address was not proven. A password stays if it is the one of the request, or was chosen by recovery at this
   * address. Links in notices of later changes are worthless: they went to addresses that this owner does not read.
   *
   * @throws AppError `token_invalid`, `token_expired` (400); `email_taken` if somebody has an address by now that was
   *   never proven.
   */
  async cancel(token: string, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const grant = granted(await this.secrets.consumeToken(manager, EMAIL_CANCEL, token));
      const { userId, data } = grant;
      const { oldEmail, ...asked } = data;
      await this.secrets.revokeNewer(manager, EMAIL_CANCEL, grant);
      const former = await this.reservations.takeBack(manager, userId, emailKey(oldEmail));
      if (former !== null)
        await this.setEmail(manager, userId, { email: former.email, verifiedAt: former.emailVerifiedAt }, origin);
      const user = await manager.findOneByOrFail(User, { id: userId });
      const isProven = user.emailVerifiedAt !== null;
      const isKnownPassword = passwordMark(user) === asked.passwordMark;
      await this.credentials.revokeAll(manager, notify, userId, {
        since: isProven ? new Date(asked.requestedAt) : null,
        kept: isProven && isKnownPassword ? { password: true } : {},
        keepsTakeBacks: true,
        origin,
      });
    });
  }

  private async setEmail(
    manager: EntityManager,
    id: string,
    { email, verifiedAt: emailVerifiedAt }: { readonly email: string; readonly verifiedAt: Date | null },
    origin: RequestOrigin,
  ): Promise<void> {
    const key = emailKey(email);
    try {
      await manager.update(User, { id }, { email, emailKey: key, emailVerifiedAt, updatedAt: this.clock.now() });
    } catch (error) {
      throw takenError(error) ?? error;
    }
    await this.reservations.assertNone(manager, key, id);
    const event = { action: 'account.email', actor: accountActor(id), resource: `user:${id}`, origin } as const;
    await this.audit.write(manager, { ...event, at: this.clock.now() });
  }
}
