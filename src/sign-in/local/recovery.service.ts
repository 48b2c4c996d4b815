import { Injectable } from '@nestjs/common';
import { LoginThrottle } from '../../identity/auth/login-throttle.service.js';
import { AccountService, type LinkedIdentity } from '../../identity/auth/account.service.js';
import { AddressProofs } from '../../identity/auth/address-proofs.service.js';
import type { ClientContext } from '../../identity/auth/auth.public.js';
import { ChangeNotifier } from '../../platform/events/change-notifier.service.js';
import { AppError } from '../../kernel/app-error.js';
import { parseEmailAddress } from '../../kernel/email-address.js';
import { Mailer } from '../../platform/mail/mailer.port.js';
import { PasswordHasher } from '../../identity/users/password-hasher.port.js';
import { User } from '../../identity/users/user.entity.js';
import { MailProofService } from './mail-proof.service.js';
import { isRecoverable } from './mail-request.service.js';
import type { MailProof, SettledProof } from './verification.types.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';

/** A new password for somebody who forgot theirs and reads the account's mailbox. */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly proofs: MailProofService,
    private readonly addresses: AddressProofs,
    private readonly accounts: AccountService,
    private readonly hasher: PasswordHasher,
    private readonly throttle: LoginThrottle,
    private readonly mailer: Mailer,
  ) {}

  /** Returns whether the proof is good. Consumes nothing. */
  async check(proof: MailProof, client: ClientContext): Promise<boolean> {
    return typeof (await this.proofs.check('recovery', proof, client)) !== 'string';
  }

  /**
   * Answers what opens the account beside its password, to whoever may choose a new one. Consumes nothing.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async listIdentities(proof: SettledProof): Promise<LinkedIdentity[]> {
    const { userId } = await this.proofs.assertProven('recovery', proof);
    return this.accounts.listIdentities(userId);
  }

  /**
   * Sets the new password, ends every session, and tells the owner. An address that is proven by this for the first time
   * ends everything that the account had gathered before.
   *
   * @param endsIdentities whether what is linked ends too.
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async reset(proof: SettledProof, password: string, endsIdentities: boolean, origin: RequestOrigin): Promise<void> {
    // Only a good proof is worth a hash; and no connection is held while it is made.
    await this.proofs.assertProven('recovery', proof);
    const passwordHash = await this.hasher.hash(password);
    const userId = await this.changes.transaction(async (manager, notify) => {
      const { userId: id, data } = await this.proofs.consume(manager, 'recovery', proof);
      const user = await manager.findOneByOrFail(User, { id });
      // A mail that was under way while the account was shut, or given another address, opens nothing.
      // The password of before is not taken from the account: the new one takes its place.
      const address = { userId: id, emailKey: data.email, kept: { password: true } } as const;
      const proven = isRecoverable(user) ? await this.addresses.accept(manager, notify, address) : null;
      if (proven === null) throw AppError.mailedToken('token_invalid');
      await this.accounts.changePassword(manager, id, passwordHash, 'recovery', origin);
      if (endsIdentities) await this.accounts.endIdentities(manager, id);
      await this.accounts.endEverything(manager, notify, id, origin);
      const to = parseEmailAddress(user.email)?.ascii;
      if (to !== undefined)
        await this.mailer.enqueue(manager, {
          template: 'password-changed',
          to,
          name: user.firstName,
          language: user.language,
          variables: {},
        });
      return user.id;
    });
    // Whoever guessed at the old password used up tries; its owner has a new one.
    await this.throttle.forgetPasswordFailures(userId);
  }
}
