import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { accountActor, actorOf, defineAuditActions, SERVICE } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import { clientBlock } from '../../../platform/http/http.public.js';
import { type AccountDataRequest, OnAccountExport } from '../../lifecycle/account-data.decorators.js';
import type { SessionEnd } from '../../lifecycle/lifecycle-event.types.js';
import { AccountLifecycle } from '../../lifecycle/account-lifecycle.service.js';
import type { BeforeWriteEvent } from '../../records/record-event.types.js';
import { BeforeWrite } from '../../records/record-hooks.decorators.js';
import { assertMayTouch } from '../../users/users.public.js';
import { lockAccount } from '../../users/users.service.js';
import type { ClientContext } from '../access/client-context.js';
import { SESSION_TOPIC } from './session-directory.js';
import { SessionPlace, SessionLocations } from './session-locations.service.js';

const ACTIONS = defineAuditActions('Sessions', {
  'session.begin': 'A sign-in succeeded or failed. The outcome contains the reason.',
  'session.end': 'A session was revoked. `reason` contains the reason.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const LIST = `SELECT id, provider, device, address, created_at AS "createdAt", last_used_at AS "lastUsedAt",
    expires_at AS "expiresAt"
  FROM sessions WHERE user_id = $1 AND expires_at > $2 ORDER BY last_used_at DESC, id DESC`;
const REVOKE_ONE = 'DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id, provider';
const REVOKE_ALL = 'DELETE FROM sessions WHERE user_id = $1 AND ($2::uuid IS NULL OR id <> $2) RETURNING id, provider';
const OWNER = 'SELECT user_id AS "userId" FROM sessions WHERE id = $1';

interface SessionEnding {
  readonly userId: string;
  readonly reason: SessionEnd;
  /** Actor in the audit log. Default: the owner or the service, depending on the reason. */
  readonly actor?: string;
  readonly origin?: RequestOrigin;
}

type SessionToRevoke = SessionEnding & { readonly id: string };

/** The owner is the actor for these reasons, and the service for all others. */
const BY_OWNER: ReadonlySet<SessionEnd> = new Set<SessionEnd>(['logout', 'revoked', 'replaced']);

/** A session as its owner sees it. */
@ApiSchema({ name: 'Session' })
export class ListedSession {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'Whether this is the session of the request.' }) readonly current: boolean;
  @ApiProperty() readonly provider: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Client that signed in, usually the `User-Agent` of a browser.',
  })
  readonly device: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Network address.' }) readonly address: string | null;
  @ApiProperty({
    type: SessionPlace,
    nullable: true,
    description: 'Location of the address. Requires a location database that contains the address.',
  })
  readonly place: SessionPlace | null;
  @ApiProperty({ description: 'Whether the address is the one of this request, or in the same IPv6 /64.' })
  readonly same_network: boolean;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly last_used_at: string;
  @ApiProperty({ format: 'date-time' }) readonly expires_at: string;
}

type SessionRow = Pick<ListedSession, 'id' | 'provider'>;

interface ActiveSession extends Pick<ListedSession, 'id' | 'provider' | 'device' | 'address'> {
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

@Injectable()
export class SessionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly changes: ChangeNotifier,
    private readonly lifecycle: AccountLifecycle,
    private readonly audit: AuditTrail,
    private readonly locations: SessionLocations,
    private readonly clock: Clock,
  ) {}

  /** Returns the active sessions, most recently used first. `address` and `language` are those of the request. */
  async list(
    { userId, sessionId }: Pick<AccountPrincipal, 'userId' | 'sessionId'>,
    { address, language = null }: Pick<ClientContext, 'address' | 'language'>,
  ): Promise<ListedSession[]> {
    const here = clientBlock(address);
    const rows = await this.dataSource.query<ActiveSession[]>(LIST, [userId, this.clock.now()]);
    return rows.map((row) => ({
      id: row.id,
      current: row.id === sessionId,
      provider: row.provider,
      device: row.device,
      address: row.address,
      place: this.locations.of(row.address, language),
      same_network: row.address !== null && isIP(address) !== 0 && clientBlock(row.address) === here,
      created_at: row.createdAt.toISOString(),
      last_used_at: row.lastUsedAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    }));
  }

  @OnAccountExport('sessions')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    const all = await this.list({ userId, sessionId: '' }, { address: '' });
    return all.map(({ current: _current, same_network: _same, ...session }) => session);
  }

  /** Revokes a session on all instances, in the caller's transaction. Returns whether it existed. */
  async end(manager: EntityManager, notify: Notify, revoked: SessionToRevoke): Promise<boolean> {
    const { userId, id } = revoked;
    const [rows] = await manager.query<[SessionRow[], number]>(REVOKE_ONE, [userId, id]);
    if (rows.length === 0) return false;
    notify(SESSION_TOPIC, id);
    await this.report(manager, rows, revoked);
    return true;
  }

  /** Revokes a session on the owner's request. @throws AppError `session_not_found`, also for a session of another account. */
  async endOwn({ userId }: AccountPrincipal, id: string, origin: RequestOrigin): Promise<void> {
    const isEnded = isUuid(id) && (await this.endNow({ userId, id, reason: 'revoked', origin }));
    if (!isEnded) throw new AppError('session_not_found');
  }

  async endOthers({ userId, sessionId: except }: AccountPrincipal, origin: RequestOrigin): Promise<void> {
    await this.changes.transaction((manager, notify) =>
      this.endAll(manager, notify, { userId, except, reason: 'revoked', origin }),
    );
  }

  /** The same in a separate transaction; see {@link end}. */
  async endNow(revoked: SessionToRevoke): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      // Lock the account row first, as every revocation of all sessions does, because a hook may need it.
      if (this.lifecycle.hasHooks('sessionEnded')) await lockAccount(manager, revoked.userId);
      return this.end(manager, notify, revoked);
    });
  }

  async endAll(
    manager: EntityManager,
    notify: Notify,
    revoked: SessionEnding & { readonly except?: string },
  ): Promise<void> {
    const { userId, except } = revoked;
    const [rows] = await manager.query<[SessionRow[], number]>(REVOKE_ALL, [userId, except ?? null]);
    for (const { id } of rows) notify(SESSION_TOPIC, id);
    await this.report(manager, rows, revoked);
  }

  /** @throws AppError `permission_denied` for the session of a root account, unless the principal has all permissions too. */
  @BeforeWrite('session', { on: ['delete'], order: 100 })
  async endRecord({ id, manager, notify, principal, root }: BeforeWriteEvent): Promise<void> {
    if (id === null) return;
    const [row] = await manager.query<{ userId: string }[]>(OWNER, [id]);
    if (row === undefined) return;
    await assertMayTouch(manager, root, row.userId);
    await this.end(manager, notify, { ...row, id, reason: 'revoked', actor: actorOf(principal) });
  }

  /** Returns the expiry of a session that is started or renewed now, which is that of its last token. */
  expiryFrom(now: Date): Date {
    const { refreshTokenEnabled, refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds } = this.config.auth;
    const seconds = refreshTokenEnabled
      ? Math.max(refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds)
      : accessTokenLifetimeSeconds;
    return new Date(now.getTime() + seconds * 1_000);
  }

  private async report(manager: EntityManager, rows: readonly SessionRow[], revoked: SessionEnding): Promise<void> {
    const { userId, reason, origin, actor = BY_OWNER.has(reason) ? accountActor(userId) : SERVICE } = revoked;
    const facts = { reason, user: userId };
    const event = { action: 'session.end', actor, origin, facts } as const;
    await this.audit.write(manager, ...rows.map(({ id }) => ({ ...event, resource: `session:${id}` })));
    const ended = rows.map(({ id: sessionId, provider: method }) => ({ method, sessionId, reason }));
    await this.lifecycle.runHooks('sessionEnded', manager, userId, ...ended);
  }
}
