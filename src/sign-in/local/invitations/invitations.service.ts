import { mailAddressee } from '../../../identity/users/users.public.js';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AddressProofs } from '../../../identity/auth/address-proofs.service.js';
import { definePurpose, OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { PasswordHasher } from '../../../identity/users/passwords/password-hasher.port.js';
import { User } from '../../../identity/users/user.entity.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { Mailer } from '../../../platform/mail/mailer.port.js';
import { granted } from '../verification/mail-proof.service.js';
import { tokenLink } from '../verification/verification-mailer.service.js';

/** The link in the mail to somebody for whom an account was made; good for the mailbox that it went to. */
export const INVITATION = definePurpose<{ readonly email: string }>('invitation');

const LIFETIME_SECONDS = 7 * 86_400;

/** Asks people for whom an administrator has made an account to choose its password themselves (CONTRACT §9). */
@Injectable()
export class Invitations {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly secrets: OneTimeSecrets,
    private readonly proofs: AddressProofs,
    private readonly accounts: AccountService,
    private readonly credentials: AccountCredentials,
    private readonly hasher: PasswordHasher,
    private readonly mailer: Mailer,
  ) {}

  /** Mails a link to the address of an account, in the caller's transaction; an older one ends. */
  async send(manager: EntityManager, userId: string): Promise<void> {
    const user = await manager.findOneByOrFail(User, { id: userId });
    const addressee = mailAddressee(user);
    if (addressee === null) return;
    const data = { email: user.emailKey };
    const request = { purpose: INVITATION, userId, lifetimeSeconds: LIFETIME_SECONDS, data };
    const { secret } = await this.secrets.issueToken(manager, request);
    const link = tokenLink(`${this.config.appUrl}/dash/invitation`, secret);
    const variables = { link, expiresInMinutes: LIFETIME_SECONDS / 60 };
    // An administrator chose the name, not the person who registered the address.
    const named = { ...addressee, name: user.firstName };
    await this.mailer.enqueue(manager, { template: 'invitation', ...named, variables });
  }

  /** Ends the link that an account was sent, in the caller's transaction. */
  async revoke(manager: EntityManager, userId: string): Promise<void> {
    await this.secrets.revoke(manager, userId, [INVITATION]);
  }

  /** Returns whether a link is good. Consumes nothing. */
  async check(token: string): Promise<boolean> {
    return typeof (await this.secrets.checkToken(this.dataSource.manager, INVITATION, token)) !== 'string';
  }

  /**
   * Gives an invited account its password and lets it in: the link has proven the mailbox. Of many at once one wins.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async accept(token: string, password: string, origin: RequestOrigin): Promise<void> {
    // Only a good link is worth a hash; and no connection is held while it is made.
    granted(await this.secrets.checkToken(this.dataSource.manager, INVITATION, token));
    const passwordHash = await this.hasher.hash(password);
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = granted(await this.secrets.consumeToken(manager, INVITATION, token));
      const proven = await this.proofs.accept(manager, notify, { userId, emailKey: data.email });
      const isWaiting = proven?.user.invited === true && proven.user.activatedAt === null;
      // One that was shut, or given another address, since: the mail was under way.
      if (!isWaiting || !(await this.accounts.activateFirst(manager, notify, userId)))
        throw AppError.mailedToken('token_invalid');
      await this.accounts.changePassword(manager, userId, passwordHash, 'invitation', origin);
      await this.credentials.revokeOutstanding(manager, userId);
      await manager.update(User, { id: userId }, { invited: false });
    });
  }
}
