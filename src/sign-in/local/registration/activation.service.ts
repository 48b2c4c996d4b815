import { Injectable } from '@nestjs/common';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AddressProofs } from '../../../identity/auth/address-proofs.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { granted, MailProofService } from '../verification/mail-proof.service.js';
import type { MailProof } from '../verification/verification.types.js';

/** Activates an account whose owner reads its mailbox (specification, "Account activation"). */
@Injectable()
export class ActivationService {
  constructor(
    private readonly changes: ChangeNotifier,
    private readonly proofs: MailProofService,
    private readonly addresses: AddressProofs,
    private readonly accounts: AccountService,
    private readonly credentials: AccountCredentials,
  ) {}

  /**
   * Activates the account, and proves its address. The password of the registration stays: with it the person signs in
   * next. The mail says that whoever registered knows it.
   *
   * @throws AppError `token_invalid`, `token_expired` (400), `rate_limited`.
   */
  async activate(proof: MailProof, client: ClientContext): Promise<void> {
    // A code is tried before the transaction: the try must count even where the rest fails.
    if ('code' in proof) granted(await this.proofs.check('activation', proof, client));
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = await this.proofs.consume(manager, 'activation', proof);
      const address = { userId, emailKey: data.email, kept: { password: true } } as const;
      const proven = await this.addresses.accept(manager, notify, address);
      const isNew = proven !== null && (await this.accounts.activateFirst(manager, notify, userId, client));
      if (!isNew) throw AppError.mailedToken('token_invalid');
      await this.credentials.revokeOutstanding(manager, userId);
    });
  }
}
