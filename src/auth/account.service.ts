import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeFeed, type Notify } from '../database/change-feed.js';
import { Clock } from '../kernel/clock.port.js';
import { USER_TOPIC } from '../users/change-topics.js';
import { PasswordHasher } from '../users/password-hasher.port.js';
import { User } from '../users/user.entity.js';
import { SessionService } from './session.service.js';

/** What administrators do with an account, and what ends with it: its sessions. */
@Injectable()
export class AccountService {
  constructor(
    private readonly changes: ChangeFeed,
    private readonly sessions: SessionService,
    private readonly hasher: PasswordHasher,
    private readonly clock: Clock,
  ) {}

  /** Lets the account sign in. Answers whether that was new. */
  async activate(userId: string): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      const { affected } = await manager.update(
        User,
        { id: userId, activated: false },
        { activated: true, updatedAt: this.clock.now() },
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

  private async endEverything(manager: EntityManager, notify: Notify, userId: string): Promise<void> {
    await this.sessions.endAll(manager, notify, userId);
    notify(USER_TOPIC, userId);
  }
}
