import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountService } from '../auth/account.service.js';
import { ChangeFeed } from '../database/change-feed.js';
import { Clock } from '../kernel/clock.port.js';
import { OneTimeSecrets, type SecretGrant } from '../secrets/one-time-secrets.port.js';
import { USER_TOPIC } from '../users/change-topics.js';
import { User } from '../users/user.entity.js';
import { emailKey, takenError } from '../users/users.service.js';
import { AddressHolds } from './address-holds.service.js';
import { EmailChange } from './email-change.entity.js';
import { EMAIL_CHANGE_LIFETIME_SECONDS } from './email-change.service.js';
import { granted } from './mail-proof.service.js';

/** Ends a pending change of address: confirmed from the new one, or cancelled from the old one. */
@Injectable()
export class EmailChangeCompletionService {
  constructor(
    private readonly changes: ChangeFeed,
    private readonly secrets: OneTimeSecrets,
    private readonly accounts: AccountService,
    private readonly holds: AddressHolds,
    private readonly clock: Clock,
  ) {}

  /**
   * The account's address becomes the new one. What was mailed to the old one is worthless from now on, but for the link
   * that takes the change back: until that ends, nobody else gets the old address.
   *
   * @throws AppError `token_invalid`, `token_expired`, `email_taken` (400).
   */
  async confirm(token: string): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = granted(await this.secrets.consumeToken(manager, 'email-change', token));
      const [oldEmail, newEmail] = [String(data['oldEmail']), String(data['newEmail'])];
      await manager.delete(EmailChange, { userId });
      await this.holds.assertFree(manager, newEmail, userId);
      await this.setEmail(manager, userId, newEmail);
      await this.holds.hold(manager, userId, oldEmail, EMAIL_CHANGE_LIFETIME_SECONDS);
      await this.accounts.endOutstanding(manager, userId);
      notify(USER_TOPIC, userId);
    });
  }

  /**
   * The owner of the old address did not ask for this: the change is cancelled (taken back, where it was confirmed
   * already, with those that followed) and all sessions are ended. Links in notices of later changes are worthless: they
   * went to addresses that this owner does not read.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async cancel(token: string): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const grant = granted(await this.secrets.consumeToken(manager, 'email-cancel', token));
      await manager.delete(EmailChange, { userId: grant.userId });
      await this.secrets.revokeNewer(manager, 'email-cancel', grant);
      await this.takeBack(manager, grant);
      await this.accounts.endEverything(manager, notify, grant.userId);
    });
  }

  private async takeBack(manager: EntityManager, { userId, data }: SecretGrant): Promise<void> {
    const oldEmail = String(data['oldEmail']);
    if (await this.holds.release(manager, userId, oldEmail)) await this.setEmail(manager, userId, oldEmail);
  }

  private async setEmail(manager: EntityManager, userId: string, email: string): Promise<void> {
    const now = this.clock.now();
    const fields = { email, emailKey: emailKey(email), emailVerifiedAt: now, updatedAt: now };
    try {
      await manager.update(User, { id: userId }, fields);
    } catch (error) {
      throw takenError(error) ?? error;
    }
  }
}
