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

/** Password and sessions of an account. Other kinds of credentials are listed by their {@link CredentialKind}. */
const LIST_OWN = `SELECT 'password' AS kind, id::text AS id, NULL AS name, NULL AS detail, created_at AS "createdAt"
    FROM users WHERE id = $1 AND password_hash IS NOT NULL
  UNION ALL SELECT 'sessions', id::text, device, address, created_at FROM sessions WHERE user_id = $1 AND expires_at > $2
  UNION ALL SELECT 'devices', id::text, device, address, created_at FROM remembered_devices WHERE user_id = $1 AND expires_at > $2`;

export interface KeptCredentials {
  readonly password?: true;
  readonly sessionId?: string;
}

/** Credentials to revoke. Sessions, remembered devices and pending changes are always revoked. */
export interface CredentialSelection extends RevokedBy {
  /** Returns the time since which credentials of a kind are revoked: null for all of them, false for none. Default: all. */
  readonly since?: (kind: CredentialKind) => Date | null | false;
  readonly kept?: KeptCredentials;
  /** Whether links that cancel an e-mail change stay valid. */
  readonly keepsTakeBacks?: boolean;
}

/** Revocations by the owner, by an administrator and by the first proof of an address use this service. */
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

  /** @throws DefinitionError for two kinds with the same name. */
  onModuleInit(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    this.kinds = [...instances].filter((instance) => instance instanceof CredentialKind);
    assertDistinct(
      this.kinds.map(({ name }) => name),
      'Two kinds of credentials are called',
    );
  }

  find(name: string): CredentialKind | null {
    return this.kinds.find((kind) => kind.name === name) ?? null;
  }

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

  /** Runs in the caller's transaction. Locks the account row first, so that a concurrent sign-in is waited for and revoked too. */
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
   * Revokes all credentials, or those that were created since a time, and runs the hooks of the application.
   *
   * @param range.since null for all.
   * @param range.factorsSince the same for second factors, if it differs.
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

  /** The hooks of the application revoke its own credentials, in the caller's transaction. */
  async notifyHooks(manager: EntityManager, userId: string, since: Date | null): Promise<void> {
    await this.life.tell('credentialsEnded', manager, userId, { since });
  }

  /** Revokes only sessions, remembered devices and pending secrets, in the caller's transaction. */
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

  /** Revokes the links that restore an older address, in the caller's transaction. */
  async revokeTakeBacks(manager: EntityManager, userId: string): Promise<void> {
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: true }));
    await this.reservations.endAll(manager, userId);
  }

  /** Runs in the caller's transaction. The user who proved the address never set this password. */
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
