import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { assertDistinct } from '../../../kernel/errors/definition-error.js';
import { accountActor, factsOf } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import type { Notify } from '../../../platform/events/change-notifier.service.js';
import { SignInLife } from '../../life/sign-in-life.service.js';
import { OneTimeSecrets } from '../../secrets/one-time-secrets.port.js';
import { SecretPurposes } from '../../secrets/secret-purposes.service.js';
import { EmailReservations } from '../../users/email-reservations.service.js';
import { User } from '../../users/user.entity.js';
import { USER_TOPIC } from '../../users/users.public.js';
import { RememberedDevices } from '../devices/remembered-devices.service.js';
import { SessionService } from '../sessions/session.service.js';
import { type AccountCredential, CredentialKind, type RevokedBy } from './credential-kind.port.js';

/** Password and sessions of an account; the other kinds list theirs. */
const LIST_OWN = `SELECT 'password' AS kind, id::text AS id, NULL AS name, NULL AS detail, created_at AS "createdAt"
    FROM users WHERE id = $1 AND password_hash IS NOT NULL
  UNION ALL SELECT 'sessions', id::text, device, address, created_at FROM sessions WHERE user_id = $1 AND expires_at > $2
  UNION ALL SELECT 'devices', id::text, device, address, created_at FROM remembered_devices WHERE user_id = $1 AND expires_at > $2`;

/** Credentials that stay when the others are revoked. */
export interface KeptCredentials {
  readonly password?: true;
  readonly sessionId?: string;
}

/** Credentials to revoke. Sessions, remembered devices and pending changes are always revoked. */
export interface CredentialSelection extends RevokedBy {
  /**
   * Returns the time since which credentials of a kind are revoked: null for all of them, false for none. All credentials are
   * revoked if it is left out.
   */
  readonly since?: (kind: CredentialKind) => Date | null | false;
  readonly kept?: KeptCredentials;
  /** Whether links that take an e-mail change back stay valid. */
  readonly keepsTakeBacks?: boolean;
}

/**
 * Lists and revokes the credentials that open an account. Every flow uses it, whether the owner, an administrator or the first
 * proof of an address takes the account back.
 */
@Injectable()
export class AccountCredentials implements OnModuleInit {
  private kinds: readonly CredentialKind[] = [];

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly discovery: DiscoveryService,
    private readonly sessions: SessionService,
    private readonly devices: RememberedDevices,
    private readonly secrets: OneTimeSecrets,
    private readonly purposes: SecretPurposes,
    private readonly reservations: EmailReservations,
    private readonly life: SignInLife,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** @throws DefinitionError for two kinds of one name. */
  onModuleInit(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    this.kinds = [...instances].filter((instance) => instance instanceof CredentialKind);
    assertDistinct(
      this.kinds.map(({ name }) => name),
      'Two kinds of credentials are called',
    );
  }

  /** Returns the kind of this name; null if there is none. */
  find(name: string): CredentialKind | null {
    return this.kinds.find((kind) => kind.name === name) ?? null;
  }

  /** Returns everything that opens an account. */
  async list(userId: string, manager = this.dataSource.manager): Promise<readonly AccountCredential[]> {
    const own = await manager.query<AccountCredential[]>(LIST_OWN, [userId, this.clock.now()]);
    const others: AccountCredential[] = [];
    for (const kind of this.kinds) others.push(...(await kind.list(manager, userId)));
    return [...own, ...others];
  }

  /** Returns the credentials that the owner can select in recovery, oldest first. */
  async listSelectable(userId: string): Promise<readonly AccountCredential[]> {
    const all = await this.list(userId);
    return all
      .filter(({ kind }) => this.find(kind)?.isSelectable === true)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /**
   * Revokes credentials of an account in the caller's transaction. The account's row is locked first, as for every new session: a
   * sign-in that is just beginning is waited for, and its session is revoked.
   */
  async revoke(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    selection: CredentialSelection = {},
  ): Promise<void> {
    const { since = () => null, kept = {}, keepsTakeBacks = false, actor, origin } = selection;
    await this.revokeOutstanding(manager, userId);
    if (kept.password !== true) await this.removePassword(manager, userId);
    if (!keepsTakeBacks) await this.revokeTakeBacks(manager, userId);
    for (const kind of this.kinds) {
      const from = since(kind);
      if (from !== false) await kind.revoke(manager, userId, from, { actor, origin });
    }
    await this.devices.forgetAll(manager, userId);
    await this.sessions.endAll(manager, notify, { userId, except: kept.sessionId, reason: 'credentials', origin });
    notify(USER_TOPIC, userId);
  }

  /**
   * Revokes everything, or everything that was created since a time, and has the application's hooks revoke their own
   * credentials.
   *
   * @param range.since null for everything.
   * @param range.factorsSince the same for second factors, if they differ.
   */
  async revokeAll(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    range: Omit<CredentialSelection, 'since'> & { readonly since?: Date | null; readonly factorsSince?: Date } = {},
  ): Promise<void> {
    const { since = null, factorsSince = since, ...selection } = range;
    const sinceOf = ({ isSecondFactor }: CredentialKind): Date | null => (isSecondFactor ? factorsSince : since);
    await this.revoke(manager, notify, userId, { ...selection, since: sinceOf });
    await this.notifyHooks(manager, userId, since);
  }

  /** Has the application's hooks revoke their own credentials, in the caller's transaction. */
  async notifyHooks(manager: EntityManager, userId: string, since: Date | null): Promise<void> {
    await this.life.tell('credentialsEnded', manager, userId, { since });
  }

  /** Revokes sessions, remembered devices and pending secrets only, in the caller's transaction. */
  async revokeSessions(manager: EntityManager, notify: Notify, userId: string, by: RevokedBy = {}): Promise<void> {
    await this.revoke(manager, notify, userId, {
      ...by,
      since: () => false,
      kept: { password: true },
      keepsTakeBacks: true,
    });
  }

  /** Revokes pending proofs, mailed secrets and unfinished sign-ins, in the caller's transaction. */
  async revokeOutstanding(manager: EntityManager, userId: string): Promise<void> {
    await manager.increment(User, { id: userId }, 'credentialsVersion', 1);
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: false }));
  }

  /** Revokes the links that take an older address back, in the caller's transaction. */
  async revokeTakeBacks(manager: EntityManager, userId: string): Promise<void> {
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: true }));
    await this.reservations.endAll(manager, userId);
  }

  /** Removes the password of an account, in the caller's transaction: the user who proved the address never set it. */
  async removePassword(manager: EntityManager, userId: string): Promise<void> {
    const { affected } = await manager.update(
      User,
      { id: userId, passwordHash: Not(IsNull()) },
      { passwordHash: null },
    );
    if (affected !== 1) return;
    const facts = { method: 'proof', removed: true } as const;
    const event = { action: 'account.password', actor: accountActor(userId), resource: `user:${userId}` } as const;
    await this.audit.write(manager, { ...event, changes: factsOf(facts), at: this.clock.now() });
    await this.life.tell('passwordChanged', manager, userId, facts);
  }
}
