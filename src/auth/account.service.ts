import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeFeed, type Notify } from '../database/change-feed.js';
import { Clock } from '../kernel/clock.port.js';
import { OneTimeSecrets, type SecretPurpose } from '../secrets/one-time-secrets.port.js';
import { USER_TOPIC } from '../users/change-topics.js';
import { PasswordHasher } from '../users/password-hasher.port.js';
import { User } from '../users/user.entity.js';
import { SessionService } from './session.service.js';

/** What is outstanding for an account and ends when it changes hands or is shut; the link that takes an address back stays. */
const OUTSTANDING: readonly SecretPurpose[] = [
  'activation',
  'activation-session',
  'recovery',
  'recovery-session',
  'email-change',
  'otp',
  'exchange',
  'identity-link',
];

/** What lets the owner of an address take it back that the account gave up itself. */
const TAKE_BACKS: readonly SecretPurpose[] = ['email-cancel', 'address-hold'];

/** Changes of an account that end what was granted before them: its sessions and its outstanding secrets. */
@Injectable()
export class AccountService {
  constructor(
    private readonly changes: ChangeFeed,
    private readonly sessions: SessionService,
    private readonly hasher: PasswordHasher,
    private readonly secrets: OneTimeSecrets,
    private readonly clock: Clock,
  ) {}

  /** Lets the account sign in. Answers whether that was new. */
  async activate(userId: string): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      const now = this.clock.now();
      const { affected } = await manager.update(
        User,
        { id: userId, activated: false },
        { activated: true, activatedAt: now, updatedAt: now },
      );
      notify(USER_TOPIC, userId);
      return affected === 1;
    });
  }

  /** Shuts the account out and ends its sessions. Answers whether that was new. */
  async deactivate(userId: string): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      const { affected } = await manager.update(
        User,
        { id: userId, activated: true },
        { activated: false, updatedAt: this.clock.now() },
      );
      await this.endEverything(manager, notify, userId);
      return affected === 1;
    });
  }

  /** Sets a new password and ends all sessions. The password was checked before. */
  async setPassword(userId: string, password: string): Promise<void> {
    const passwordHash = await this.hasher.hash(password);
    await this.changes.transaction(async (manager, notify) => {
      await manager.update(User, { id: userId }, { passwordHash, updatedAt: this.clock.now() });
      await this.endEverything(manager, notify, userId);
    });
  }

  /** Ends all sessions and whatever is outstanding for the account, in the caller's transaction. */
  async endEverything(manager: EntityManager, notify: Notify, userId: string): Promise<void> {
    // The account's row first, as whoever begins a session does: one that is just beginning is waited for, and ended.
    await this.endOutstanding(manager, userId);
    await this.sessions.endAll(manager, notify, userId);
    notify(USER_TOPIC, userId);
  }

  /** The account was given another address by whoever may: nobody takes an older one back, in the caller's transaction. */
  async endTakeBacks(manager: EntityManager, userId: string): Promise<void> {
    await this.secrets.revoke(manager, userId, TAKE_BACKS);
  }

  /** Ends whatever was proven, mailed or begun for the account and not yet used, in the caller's transaction. */
  async endOutstanding(manager: EntityManager, userId: string): Promise<void> {
    await manager.increment(User, { id: userId }, 'credentialsVersion', 1);
    await this.secrets.revoke(manager, userId, OUTSTANDING);
  }
}
