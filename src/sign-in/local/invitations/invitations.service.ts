import { mailAccount } from '../../../identity/users/users.public.js';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { isLocalLoginDisabled } from '../../../identity/auth/access/disabled-when.decorator.js';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AddressProofs } from '../../../identity/auth/address-proofs.service.js';
import type { AfterWriteEvent, BeforeWriteEvent } from '../../../identity/records/record-event.types.js';
import { AfterWrite, BeforeWrite } from '../../../identity/records/record-hooks.decorators.js';
import { definePurpose, grantOrThrow, OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { PasswordHasher } from '../../../identity/users/passwords/password-hasher.port.js';
import { User } from '../../../identity/users/user.entity.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { tokenLink } from '../verification/verification-mailer.service.js';

/** The secret in the link of an invitation mail. It is valid only for the address that it was sent to. */
export const INVITATION = definePurpose<{ readonly email: string }>('invitation');

const LIFETIME_SECONDS = 7 * 86_400;

@Injectable()
export class Invitations {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly secrets: OneTimeSecrets,
    private readonly proofs: AddressProofs,
    private readonly accounts: AccountService,
    private readonly credentials: AccountCredentials,
    private readonly hasher: PasswordHasher,
    private readonly mailer: Mailer,
  ) {}

  /** @throws AppError `field_invalid` if the account has a sign-in method, or if this write adds one. */
  @BeforeWrite('user', { on: ['create', 'update'] })
  async assertInvitable({ id, values, hidden, manager }: BeforeWriteEvent): Promise<void> {
    if (hidden['invite'] !== true) return;
    if (isLocalLoginDisabled(this.config)) throw inviteInvalid('requires passwords, which are disabled');
    if (values['activated'] === true || 'password' in hidden)
      throw inviteInvalid('is for accounts whose users choose the password: remove `password` and `activated`');
    const user = id === null ? null : await manager.findOneBy(User, { id });
    if (user === null) return;
    const isInUse = user.activatedAt !== null || user.passwordHash !== null || user.provider !== 'local';
    if (isInUse) throw inviteInvalid('is for accounts that have never been signed in to');
  }

  /** The field `invite`: true sends the mail (again), false revokes the invitation. */
  @AfterWrite('user', { on: ['create', 'update'] })
  async onAccountChange({ id, named, manager }: AfterWriteEvent): Promise<void> {
    if (!named.has('invite')) return;
    const { invited } = await manager.findOneByOrFail(User, { id });
    if (invited) await this.send(manager, id);
    else await this.secrets.revoke(manager, id, [INVITATION]);
  }

  /** Returns whether the token is valid, without consuming it. */
  async check(token: string): Promise<boolean> {
    return typeof (await this.secrets.checkToken(this.dataSource.manager, INVITATION, token)) !== 'string';
  }

  /**
   * Sets the password of an invited account, activates it, and marks its address as verified. Only one of several concurrent requests
   * succeeds.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async accept(token: string, password: string, origin: RequestOrigin): Promise<void> {
    // Check the token first, so that invalid tokens do not cost a hash. Hash before the transaction, so that it occupies no connection.
    grantOrThrow(await this.secrets.checkToken(this.dataSource.manager, INVITATION, token));
    const passwordHash = await this.hasher.hash(password);
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = grantOrThrow(await this.secrets.consumeToken(manager, INVITATION, token));
      const proven = await this.proofs.accept(manager, notify, { userId, emailKey: data.email });
      const isPending = proven?.user.invited === true && proven.user.activatedAt === null;
      // Fails if the account was deactivated or got another address after the mail was sent.
      if (!isPending || !(await this.accounts.activateNewAccount(manager, notify, userId)))
        throw AppError.mailedToken('token_invalid');
      await this.accounts.changePassword(manager, userId, passwordHash, 'invitation', origin);
      await this.credentials.revokeOutstanding(manager, userId);
      await manager.update(User, { id: userId }, { invited: false });
    });
  }

  /** Sends the mail. The new link replaces the previous one. */
  private async send(manager: EntityManager, userId: string): Promise<void> {
    const user = await manager.findOneByOrFail(User, { id: userId });
    const data = { email: user.emailKey };
    const request = { purpose: INVITATION, userId, lifetimeSeconds: LIFETIME_SECONDS, data };
    const { secret } = await this.secrets.issueToken(manager, request);
    const link = tokenLink(`${this.config.appUrl}/dash/invitation`, secret);
    const variables = { link, expiresInMinutes: LIFETIME_SECONDS / 60 };
    // The name is safe in a mail: an administrator chose it, not the person who registered the address.
    await mailAccount(this.mailer, manager, user, { template: 'invitation', name: user.firstName, variables });
  }
}

function inviteInvalid(message: string): AppError {
  return AppError.fieldInvalid([{ field: 'invite', code: 'value_invalid', message }]);
}
