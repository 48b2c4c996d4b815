import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mailAddressee } from '../../../identity/users/users.public.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { RateLimiter } from '../../../platform/http/rate-limit/rate-limiter.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { RegistrationGate } from '../../../identity/registration-policy/registration-gate.service.js';
import { definePurpose, OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { User } from '../../../identity/users/user.entity.js';
import { emailKey, UsersService } from '../../../identity/users/users.service.js';
import { PasswordLogin } from '../../../identity/auth/sign-in/password-login.service.js';
import { tokenLink } from '../verification/verification-mailer.service.js';
import { CredentialKind } from '../../../identity/auth/credentials/credential-kind.port.js';

/** Time in which a change can be confirmed or cancelled. */
export const EMAIL_CHANGE_LIFETIME_SECONDS = 86_400;

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

/** Requests a change of the e-mail address. The address stays until the change is confirmed. */
@Injectable()
export class EmailChangeService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly users: UsersService,
    private readonly credentials: PasswordLogin,
    private readonly gate: RegistrationGate,
    private readonly limiter: RateLimiter,
    private readonly secrets: OneTimeSecrets,
    private readonly mailer: Mailer,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores the change, notifies the current address, and mails a link to the new one. A newer request replaces an older one.
   *
   * @throws AppError `not_a_local_account`, `invalid_credentials`, `rate_limited`, `email_unchanged`, `email_taken`, or the error of the
   * registration policy for the new address.
   */
  async request(account: AccountPrincipal, newEmail: string, password: string, client: ClientContext): Promise<void> {
    const user = await this.users.findById(account.userId);
    if (user === null) throw new AppError('token_invalid');
    if (user.passwordHash === null) throw new AppError('not_a_local_account');
    await this.credentials.confirm(user, password, client);
    const email = this.gate.assertEmailAllowed(newEmail);
    if (emailKey(email) === user.emailKey) throw new AppError('email_unchanged');
    // Limits the mails per account and per address. It also limits how often a caller can probe whether an address is in use.
    for (const key of [user.id, emailKey(email)]) await this.limiter.consume('mailAddress', `email-change ${key}`);
    await this.users.assertFree(email, null, user.id);
    await this.changes.transaction(async (manager) => {
      await assertUnchanged(manager, user);
      await this.write(manager, user, email);
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

  private async write(manager: EntityManager, user: User, newEmail: string): Promise<void> {
    const { id: userId, email: oldEmail } = user;
    const request = { userId, lifetimeSeconds: EMAIL_CHANGE_LIFETIME_SECONDS };
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
    const confirmation = { newEmail, link, expiresInMinutes: EMAIL_CHANGE_LIFETIME_SECONDS / 60 };
    const present = mailAddressee(user);
    const future = mailAddressee({ ...user, email: newEmail, emailVerifiedAt: null });
    if (present !== null)
      await this.mailer.enqueue(manager, { template: 'email-change-notice', ...present, variables: notice });
    if (future !== null)
      await this.mailer.enqueue(manager, { template: 'email-change-confirm', ...future, variables: confirmation });
  }
}

/** Returns a hash that identifies the current password. */
export function passwordMark({ passwordHash }: Pick<User, 'passwordHash'>): string {
  return createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url');
}

/** Locks the account. The request fails if the credentials changed or the account was deactivated since the password check. */
async function assertUnchanged(manager: EntityManager, { id, credentialsVersion }: User): Promise<void> {
  const lock = { mode: 'for_no_key_update' } as const;
  const now = await manager.findOne(User, { where: { id }, lock });
  if (now?.activated !== true || now.credentialsVersion !== credentialsVersion)
    throw new AppError('invalid_credentials');
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
