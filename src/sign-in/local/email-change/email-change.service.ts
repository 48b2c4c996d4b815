import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mailAccount, USER_TOPIC } from '../../../identity/users/users.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { RateLimiter } from '../../../platform/http/rate-limit/rate-limiter.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { RegistrationGate } from '../../../identity/registration-policy/registration-gate.service.js';
import { definePurpose, grantOrThrow, OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { EmailReservations } from '../../../identity/users/email-reservations.service.js';
import { User } from '../../../identity/users/user.entity.js';
import { duplicateError, emailKey, UsersService } from '../../../identity/users/users.service.js';
import { PasswordLogin } from '../../../identity/auth/sign-in/password-login.service.js';
import { tokenLink } from '../verification/verification-mailer.service.js';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';

/** Time in which a change can be confirmed or cancelled. */
const LIFETIME_SECONDS = 86_400;

export const EMAIL_CHANGE = definePurpose<{ readonly newEmail: string }>('email-change');

interface UndoEmailChange {
  readonly oldEmail: string;
  readonly requestedAt: string;
  /** Mark of the password at the time of the request. */
  readonly passwordMark: string;
}

/** The link in the notice to the old address. It survives the revocation of other secrets, so that a locked-out owner can still use it. */
export const EMAIL_CANCEL = definePurpose<UndoEmailChange>('email-cancel', { lasting: true });

const TRUST_PASSWORD = `UPDATE one_time_secrets SET data = data || $4::jsonb
  WHERE user_id = $1 AND purpose = $2 AND data->>'oldEmail' = $3`;

/** Changes of the e-mail address. The address stays until a change is confirmed. */
@Injectable()
export class EmailChangeService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly users: UsersService,
    private readonly passwords: PasswordLogin,
    private readonly credentials: AccountCredentials,
    private readonly gate: RegistrationGate,
    private readonly limiter: RateLimiter,
    private readonly secrets: OneTimeSecrets,
    private readonly mailer: Mailer,
    private readonly reservations: EmailReservations,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the change, notifies the current address, and mails a link to the new one. A newer request replaces an older one.
   *
   * @throws AppError `not_a_local_account`, `invalid_credentials`, `rate_limited`, `email_unchanged`, `email_taken`, or the error of the
   * registration policy for the new address.
   */
  async request(account: AccountPrincipal, newEmail: string, password: string, client: ClientContext): Promise<void> {
    const user = await this.passwords.confirmOwner(account.userId, password, client);
    const email = this.gate.assertEmailAllowed(newEmail);
    if (emailKey(email) === user.emailKey) throw new AppError('email_unchanged');
    // Limits the mails per account and per address. It also limits how often a caller can probe whether an address is in use.
    for (const key of [user.id, emailKey(email)]) await this.limiter.consume('mailAddress', `email-change ${key}`);
    await this.users.assertFree(email, null, user.id);
    await this.changes.transaction(async (manager) => {
      await this.passwords.lockUnchanged(manager, user);
      await this.write(manager, user, email);
    });
  }

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
      await this.reservations.add(manager, user, LIFETIME_SECONDS);
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

  /**
   * Records a password that the owner of the current address has set, in the caller's transaction. Cancelling a change of this address
   * keeps that password.
   */
  async trustPassword(manager: EntityManager, { id, email }: User, passwordHash: string): Promise<void> {
    const mark = { passwordMark: passwordMark({ passwordHash }) };
    await manager.query(TRUST_PASSWORD, [id, EMAIL_CANCEL.name, email, JSON.stringify(mark)]);
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

  private async write(manager: EntityManager, user: User, newEmail: string): Promise<void> {
    const { id: userId, email: oldEmail } = user;
    const request = { userId, lifetimeSeconds: LIFETIME_SECONDS };
    const confirm = await this.secrets.issueToken(manager, { ...request, purpose: EMAIL_CHANGE, data: { newEmail } });
    // Earlier notices keep their links, so that a second change does not lock out the owner of the first address.
    const cancel = await this.secrets.issueToken(manager, {
      ...request,
      purpose: EMAIL_CANCEL,
      replace: false,
      data: { oldEmail, requestedAt: this.clock.now().toISOString(), passwordMark: passwordMark(user) },
    });
    const cancelLink = tokenLink(`${this.config.appUrl}/auth/local/email/cancel`, cancel.secret);
    const link = tokenLink(this.config.auth.local.emailChangeUrl, confirm.secret);
    const notice = { newEmail, cancelLink };
    const confirmation = { newEmail, link, expiresInMinutes: LIFETIME_SECONDS / 60 };
    const future = { ...user, email: newEmail, emailVerifiedAt: null };
    await mailAccount(this.mailer, manager, user, { template: 'email-change-notice', variables: notice });
    await mailAccount(this.mailer, manager, future, { template: 'email-change-confirm', variables: confirmation });
  }
}

/** Returns a hash that identifies the current password. */
function passwordMark({ passwordHash }: Pick<User, 'passwordHash'>): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url');
}

/** Pending e-mail changes count as credentials, because the new address could receive a recovery mail. */
@Injectable()
export class EmailChangeCredentials extends CredentialKind {
  readonly name = 'email_changes';
  protected readonly table = 'one_time_secrets';
  protected override readonly label = `data->>'newEmail'`;
  protected override readonly condition = `purpose = '${EMAIL_CHANGE.name}'`;
  protected override readonly isListed = 'expires_at > now()';

  protected async revoked(): Promise<void> {
    // No audit event: the request is already logged, and an unconfirmed change had no effect.
  }
}
