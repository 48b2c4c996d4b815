import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { namedProviders } from '../../../platform/extension/module-settings.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { AccountLifecycle } from '../../lifecycle/account-lifecycle.service.js';
import { definePurpose, grantOrThrow, OneTimeSecrets } from '../../secrets/one-time-secrets.port.js';
import { SecretPurposes } from '../../secrets/secret-purposes.service.js';
import { EmailReservations } from '../../users/email-reservations.service.js';
import { User } from '../../users/user.entity.js';
import { USER_TOPIC } from '../../users/users.public.js';
import { SessionService } from '../sessions/session.service.js';
import { type AccountCredential, CredentialKind, type RevokedBy } from './credential-kind.port.js';

/** The link in the mail about a new credential. It survives a password change, because an attacker could change the password. */
export const CREDENTIAL_REVOCATION = definePurpose<Pick<AccountCredential, 'kind' | 'id'>>('credential-revoke', {
  lasting: true,
});
const LINK_SECONDS = 7 * 86_400;

export interface RetainedCredentials {
  readonly password?: true;
  readonly sessionId?: string;
}

/** Credentials to revoke. Sessions, remembered devices and pending changes are always revoked. */
export interface CredentialSelection extends RevokedBy {
  /** Returns the time since which credentials of a kind are revoked: null for all of them, false for none. Default: all. */
  readonly since?: (kind: CredentialKind) => Date | null | false;
  readonly retained?: RetainedCredentials;
  /** Whether links that cancel an e-mail change stay valid. */
  readonly keepsUndoLinks?: boolean;
}

/** Revocations by the owner, by an administrator and by the first proof of an address use this service. */
@Injectable()
export class AccountCredentials implements OnModuleInit {
  private kinds: readonly CredentialKind[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly discovery: DiscoveryService,
    private readonly sessions: SessionService,
    private readonly secrets: OneTimeSecrets,
    private readonly purposes: SecretPurposes,
    private readonly reservations: EmailReservations,
    private readonly lifecycle: AccountLifecycle,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DefinitionError for two kinds with the same name. */
  onModuleInit(): void {
    const what = 'Two kinds of credentials have the name';
    this.kinds = namedProviders(this.discovery, CredentialKind, ({ name }) => [name], what);
  }

  find(name: string): CredentialKind | null {
    return this.kinds.find((kind) => kind.name === name) ?? null;
  }

  async list(userId: string, manager = this.dataSource.manager): Promise<readonly AccountCredential[]> {
    const all: AccountCredential[] = [];
    for (const kind of this.kinds) all.push(...(await kind.list(manager, userId)));
    return all;
  }

  /** Returns the credentials that the owner can select in recovery, oldest first. */
  async listSelectable(userId: string): Promise<readonly AccountCredential[]> {
    const all = await this.list(userId);
    return all
      .filter(({ kind }) => this.find(kind)?.isSelectable === true)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /** Returns a link for the notification mail about a new credential, which revokes it: single use, 7 days. */
  async revocationLink(
    manager: EntityManager,
    userId: string,
    data: Pick<AccountCredential, 'kind' | 'id'>,
  ): Promise<string> {
    const request = { purpose: CREDENTIAL_REVOCATION, userId, lifetimeSeconds: LINK_SECONDS, replace: false };
    const { secret } = await this.secrets.issueToken(manager, { ...request, data });
    return `${this.config.appUrl}/auth/credentials/revoke?token=${secret}`;
  }

  /** Also revokes all sessions, because one of them created the credential. An already removed credential is not an error. */
  async revokeByLink(token: string, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction(async (manager, notify) => {
      const { userId, data } = grantOrThrow(await this.secrets.consumeToken(manager, CREDENTIAL_REVOCATION, token));
      await this.find(data.kind)?.revokeOne(manager, userId, data.id, { origin });
      await this.revokeSessions(manager, notify, userId, { origin });
    });
  }

  /** Runs in the caller's transaction. Locks the account row first, so that a concurrent sign-in is waited for and revoked too. */
  async revoke(
    manager: EntityManager,
    notify: Notify,
    userId: string,
    selection: CredentialSelection = {},
  ): Promise<void> {
    const { since = () => null, retained = {}, keepsUndoLinks = false, actor, origin } = selection;
    await this.revokeOutstanding(manager, userId);
    if (retained.password !== true) await this.removePassword(manager, userId);
    if (!keepsUndoLinks) await this.revokeUndoLinks(manager, userId);
    for (const kind of this.kinds) {
      const from = kind.isRevokedWithSessions ? null : since(kind);
      if (from !== false) await kind.revoke(manager, userId, from, { actor, origin });
    }
    await this.sessions.endAll(manager, notify, { userId, except: retained.sessionId, reason: 'credentials', origin });
    notify(USER_TOPIC, userId);
  }

  /** Also runs the hooks of the application. `factorsSince` is the time of second factors, if it differs. */
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
    await this.lifecycle.runHooks('credentialsEnded', manager, userId, { since });
  }

  /** Revokes only sessions, remembered devices and pending secrets, in the caller's transaction. */
  async revokeSessions(manager: EntityManager, notify: Notify, userId: string, by: RevokedBy = {}): Promise<void> {
    await this.revoke(manager, notify, userId, {
      ...by,
      since: () => false,
      retained: { password: true },
      keepsUndoLinks: true,
    });
  }

  /** Revokes pending proofs, mailed secrets and unfinished sign-ins, in the caller's transaction. */
  async revokeOutstanding(manager: EntityManager, userId: string): Promise<void> {
    await manager.increment(User, { id: userId }, 'credentialsVersion', 1);
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: false }));
  }

  /** Revokes the links that restore an older address. */
  private async revokeUndoLinks(manager: EntityManager, userId: string): Promise<void> {
    await this.secrets.revoke(manager, userId, this.purposes.list({ lasting: true }));
    await this.reservations.endAll(manager, userId);
  }

  /** The user who proved the address never set this password. */
  private async removePassword(manager: EntityManager, userId: string): Promise<void> {
    const { affected } = await manager.update(
      User,
      { id: userId, passwordHash: Not(IsNull()) },
      { passwordHash: null },
    );
    if (affected !== 1) return;
    const facts = { method: 'proof', removed: true } as const;
    await this.audit.writeFor(manager, userId, 'account.password', { facts });
    await this.lifecycle.runHooks('passwordChanged', manager, userId, facts);
  }
}
