import { Injectable } from '@nestjs/common';
import { AccountCredentials } from '../../../identity/auth/credentials/account-credentials.service.js';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AddressProofs } from '../../../identity/auth/address-proofs.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { ChangeNotifier } from '../../../platform/events/change-notifier.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { grantOrThrow } from '../../../identity/secrets/one-time-secrets.port.js';
import { MailProofService } from '../verification/mail-proof.service.js';
import type { MailProof } from '../verification/verification.dto.js';

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
   * Activates the account and proves its address. Keeps the password set at registration, because the user signs in with it next. The
   * activation mail warns its recipient that the person who registered knows the password.
   *
   * @throws AppError `token_invalid`, `token_expired` (400), `rate_limited`.
   */
  async activate(proof: MailProof, client: ClientContext): Promise<void> {
    // The code is tried before the transaction, so that the attempt counts even if the transaction rolls back.
    if ('code' in proof) grantOrThrow(await this.proofs.check('activation', proof, client));
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = await this.proofs.consume(manager, 'activation', proof);
      const address = { userId, emailKey: data.email, retained: { password: true } } as const;
      const proven = await this.addresses.accept(manager, notify, address);
      const isActivated = proven !== null && (await this.accounts.activateNewAccount(manager, notify, userId, client));
      if (!isActivated) throw AppError.mailedToken('token_invalid');
      await this.credentials.revokeOutstanding(manager, userId);
    });
  }
}
