import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ClientContext } from '../auth/client-context.js';
import { AccountService } from '../auth/account.service.js';
import { ChangeFeed } from '../database/change-feed.js';
import { AppError } from '../kernel/app-error.js';
import { Clock } from '../kernel/clock.port.js';
import { USER_TOPIC } from '../users/change-topics.js';
import { User } from '../users/user.entity.js';
import { granted, MailProofService } from './mail-proof.service.js';
import type { MailProof } from './verification.types.js';

/** Activates an account whose owner reads its mailbox (specification, "Account activation"). */
@Injectable()
export class ActivationService {
  constructor(
    private readonly changes: ChangeFeed,
    private readonly proofs: MailProofService,
    private readonly accounts: AccountService,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `token_invalid`, `token_expired` (400), `rate_limited`. */
  async activate(proof: MailProof, client: ClientContext): Promise<void> {
    // A code is tried before the transaction: the try must count even where the rest fails.
    if ('code' in proof) granted(await this.proofs.check('activation', proof, client));
    await this.changes.transaction(async (manager, notify) => {
      const { userId } = await this.proofs.consume(manager, 'activation', proof);
      await this.open(manager, userId);
      await this.accounts.endOutstanding(manager, userId);
      notify(USER_TOPIC, userId);
    });
  }

  private async open(manager: EntityManager, userId: string): Promise<void> {
    const now = this.clock.now();
    const { affected } = await manager
      .createQueryBuilder()
      .update(User)
      .set({ activated: true, activatedAt: now, emailVerifiedAt: now, updatedAt: now })
      .where('id = :userId AND NOT activated AND activated_at IS NULL', { userId })
      .execute();
    if (affected !== 1) throw AppError.mailedToken('token_invalid');
  }
}
