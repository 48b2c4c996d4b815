import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { accountActor, defineAuditActions, factsOf, OPERATOR } from '../../platform/audit/audit.public.js';
import type { AuditAction } from '../../platform/audit/audit.types.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../platform/events/change-notifier.service.js';
import { Clock } from '../../kernel/clock.port.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';
import type { PasswordChangedEvent } from '../life/life-event.types.js';
import { SignInLife } from '../life/sign-in-life.service.js';
import { OneTimeSecrets } from '../secrets/one-time-secrets.port.js';
import { SecretPurposes } from '../secrets/secret-purposes.service.js';
import { USER_TOPIC } from '../users/users.public.js';
import { PasswordHasher } from '../users/password-hasher.port.js';
import { EmailReservations } from '../users/email-reservations.service.js';
import { User } from '../users/user.entity.js';
import { SessionService } from './sessions/session.service.js';

const ACTIONS = defineAuditActions('Identities', {
  'identity.link': 'A provider opens the account from then on.',
  'identity.unlink': 'A provider, or every one, does not open the account any more.',
});

declare module '../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const LIST_IDENTITIES = 'SELECT provider, email, created_at FROM identities WHERE user_id = $1 ORDER BY created_at, id';
const END_IDENTITIES = 'DELETE FROM identities WHERE user_id = $1 AND ($2::timestamptz IS NULL OR created_at >= $2)';

/** A provider that opens an account, as its owner is told before signing in. */
export class LinkedIdentity {
  @ApiProperty() readonly provider: string;
  @ApiProperty({ type: String, nullable: true }) readonly email: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
}

/** Credentials that stay when those of an account end. */
export interface KeptCredentials {
  readonly password?: true;
  readonly sessionId?: string;
}

/** Changes of an account that end what was granted before them: its sessions and its outstanding secrets. */
@Injectable()
export class AccountService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly sessions: SessionService,
    private readonly hasher: PasswordHasher,
    private readonly secrets: OneTimeSecrets,
    private readonly purposes: SecretPurposes,
    private readonly reservations: EmailReservations,
    private readonly life: SignInLife,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Lets an account in that has never been active, in the caller's transaction. Answers whether it was one. */
  async activateFirst(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    origin?: RequestOrigin,
  ): Promise<boolean> {
    const now = this.clock.now();
    const waiting = { id: userId, activated: false, activatedAt: IsNull() };
    const { affected } = await manager.update(User, waiting, { activated: true, activatedAt: now, updatedAt: now });
    notify(USER_TOPIC, userId);
    if (affected === 1) await this.note(manager, 'account.activate', userId, accountActor(userId), {}, origin);
    return affected === 1;
  }

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
      if (affected === 1) await this.note(manager, 'account.activate', userId, OPERATOR);
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
      if (affected === 1) await this.note(manager, 'account.deactivate', userId, OPERATOR);
      await this.endEverything(manager, notify, userId);
      return affected === 1;
    });
  }

  /** Sets a new password and ends all sessions. The password was checked before. */
  async setPassword(userId: string, password: string): Promise<void> {
    const passwordHash = await this.hasher.hash(password);
    await this.changes.transaction(async (manager, notify) => {
      await this.changePassword(manager, userId, passwordHash, 'administrator');
      await this.endEverything(manager, notify, userId);
    });
  }

  /** Gives the account another password, in the caller's transaction. What the old one opened is for the caller to end. */
  async changePassword(
    manager: EntityManager,
    userId: string,
    passwordHash: string,
    method: PasswordChangedEvent['method'],
    origin?: RequestOrigin,
  ): Promise<void> {
    await manager.update(User, { id: userId }, { passwordHash, updatedAt: this.clock.now() });
    const actor = method === 'administrator' ? OPERATOR : accountActor(userId);
    await this.note(manager, 'account.password', userId, actor, { method }, origin);
    await this.life.tell('passwordChanged', manager, userId, { method, removed: false });
  }

  /** Takes the account's password, if it has one, in the caller's transaction: whoever proved the address never set it. */
  async removePassword(manager: EntityManager, userId: string): Promise<void> {
    const { affected } = await manager.update(
      User,
      { id: userId, passwordHash: Not(IsNull()) },
      { passwordHash: null },
    );
    if (affected !== 1) return;
    const facts = { method: 'proof', removed: true } as const;
    await this.note(manager, 'account.password', userId, accountActor(userId), facts);
    await this.life.tell('passwordChanged', manager, userId, facts);
  }

  /** Ends all sessions and whatever is outstanding for the account, in the caller's transaction. */
  async endEverything(manager: EntityManager, notify: Notify, userId: string, origin?: RequestOrigin): Promise<void> {
    // The account's row first, as whoever begins a session does: one that is just beginning is waited for, and ended.
    await this.endOutstanding(manager, userId);
    await this.sessions.endAll(manager, notify, { userId, reason: 'credentials', origin });
    notify(USER_TOPIC, userId);
  }

  /** Ends the offers to take an older address back, in the caller's transaction: the account was given another one by whoever may. */
  async endTakeBacks(manager: EntityManager, userId: string): Promise<void> {
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: true }));
    await this.reservations.endAll(manager, userId);
  }

  /** Returns what is linked to an account, oldest first. */
  async listIdentities(userId: string): Promise<LinkedIdentity[]> {
    const rows = await this.dataSource.query<(Omit<LinkedIdentity, 'created_at'> & { created_at: Date })[]>(
      LIST_IDENTITIES,
      [userId],
    );
    return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
  }

  /** Ends the identities of an account, or those that were linked since then, in the caller's transaction. */
  async endIdentities(manager: EntityManager, userId: string, since?: Date): Promise<void> {
    const [, ended] = await manager.query<[unknown[], number]>(END_IDENTITIES, [userId, since ?? null]);
    if (ended > 0) await this.note(manager, 'identity.unlink', userId, accountActor(userId), { ended });
  }

  /**
   * Ends everything that opens the account or could give it another address, in the caller's transaction: what an account
   * gathered before it had its owner. Other modules end theirs by `@OnCredentialsEnded`.
   */
  async endCredentials(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    kept: KeptCredentials = {},
  ): Promise<void> {
    if (kept.password !== true) await this.removePassword(manager, userId);
    await this.endOutstanding(manager, userId);
    await this.endTakeBacks(manager, userId);
    await this.endIdentities(manager, userId);
    await this.sessions.endAll(manager, notify, { userId, except: kept.sessionId, reason: 'credentials' });
    await this.life.tell('credentialsEnded', manager, userId, {});
    notify(USER_TOPIC, userId);
  }

  /** Ends whatever was proven, mailed or begun for the account and not yet used, in the caller's transaction. */
  async endOutstanding(manager: EntityManager, userId: string): Promise<void> {
    await manager.increment(User, { id: userId }, 'credentialsVersion', 1);
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: false }));
  }

  private async note(
    manager: EntityManager,
    action: AuditAction,
    userId: string,
    actor: string,
    facts: Readonly<Record<string, unknown>> = {},
    origin?: RequestOrigin,
  ): Promise<void> {
    const [resource, changes, at] = [`user:${userId}`, factsOf(facts), this.clock.now()];
    await this.audit.write(manager, { action, actor, resource, origin, changes, at });
  }
}
