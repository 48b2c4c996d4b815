import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Clock } from '../../../kernel/clock.port.js';
import { OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { USER_TOPIC } from '../../../identity/users/users.public.js';
import { EmailReservations } from '../../../identity/users/email-reservations.service.js';
import { User } from '../../../identity/users/user.entity.js';
import { emailKey, duplicateError } from '../../../identity/users/users.service.js';
import { EMAIL_CANCEL, EMAIL_CHANGE, EMAIL_CHANGE_LIFETIME_SECONDS, passwordMark } from './email-change.service.js';
import { grantOrThrow } from '../verification/mail-proof.service.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

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
   * Confirms the change. The new address is thereby proven. The password stays, because the user entered it for the request.
   * All mailed secrets of the account are revoked, except the link that cancels the change. If the old address was proven, no other account
   * can use it until that link expires.
   *
   * @throws AppError `token_invalid`, `token_expired`, `email_taken` (400).
   */
  async confirm(token: string, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = grantOrThrow(await this.secrets.consumeToken(manager, EMAIL_CHANGE, token));
      const user = await manager.findOneByOrFail(User, { id: userId });
      await this.reservations.add(manager, user, EMAIL_CHANGE_LIFETIME_SECONDS);
      await this.setEmail(manager, userId, { email: data.newEmail, verifiedAt: this.clock.now() }, origin);
      await this.credentials.revokeOutstanding(manager, userId);
      notify(USER_TOPIC, userId);
    });
  }

  /**
   * Cancels a change that the owner of the old address did not request. A confirmed change is reverted, with the changes that followed. The
   * old address gets its former verification state back.
   * Every credential that was created since the request is revoked, or every credential if the address was not proven. The password stays
   * if it is the one of the request, or if it was set by a recovery at this address. Cancel links of later changes are revoked, because
   * they were mailed to addresses that this owner does not read.
   *
   * @throws AppError `token_invalid`, `token_expired` (400); `email_taken` if another account now has an old address that was never proven.
   */
  async cancel(token: string, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const grant = grantOrThrow(await this.secrets.consumeToken(manager, EMAIL_CANCEL, token));
      const { userId, data } = grant;
      const { oldEmail, ...request } = data;
      await this.secrets.revokeNewer(manager, EMAIL_CANCEL, grant);
      const former = await this.reservations.undo(manager, userId, emailKey(oldEmail));
      if (former !== null)
        await this.setEmail(manager, userId, { email: former.email, verifiedAt: former.emailVerifiedAt }, origin);
      const user = await manager.findOneByOrFail(User, { id: userId });
      const isProven = user.emailVerifiedAt !== null;
      const isKnownPassword = passwordMark(user) === request.passwordMark;
      await this.credentials.revokeAll(manager, notify, userId, {
        since: isProven ? new Date(request.requestedAt) : null,
        retained: isProven && isKnownPassword ? { password: true } : {},
        keepsUndoLinks: true,
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
      throw duplicateError(error) ?? error;
    }
    await this.reservations.assertNone(manager, key, id);
    await this.audit.writeFor(manager, id, 'account.email', { origin });
  }
}
