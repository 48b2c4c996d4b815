import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { accountActor, defineAuditActions, factsOf, SERVICE } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { ChangeNotifier, type Notify } from '../../../platform/events/change-notifier.service.js';
import type { SessionEnd } from '../../life/life-event.types.js';
import { SignInLife } from '../../life/sign-in-life.service.js';
import { SESSION_TOPIC } from './session-directory.js';

const ACTIONS = defineAuditActions('Sessions', {
  'session.begin': 'Somebody signed in, or could not: the outcome says why.',
  'session.end': 'A session was ended: `reason` says why.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const END_ONE = 'DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id, provider';
const END_ALL = 'DELETE FROM sessions WHERE user_id = $1 AND ($2::uuid IS NULL OR id <> $2) RETURNING id, provider';
const LOCK_ACCOUNT = 'SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE';

interface SessionEnding {
  readonly userId: string;
  readonly reason: SessionEnd;
  /** Actor in the audit log. Default: the owner or the service, depending on the reason. */
  readonly actor?: string;
  readonly origin?: RequestOrigin;
}

export interface EndedSession extends SessionEnding {
  readonly id: string;
}

/** The owner is the actor for these reasons, and the service for all others. */
const BY_OWNER: ReadonlySet<SessionEnd> = new Set<SessionEnd>(['logout', 'revoked', 'replaced']);

interface SessionRow {
  readonly id: string;
  readonly provider: string;
}

@Injectable()
export class SessionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly changes: ChangeNotifier,
    private readonly life: SignInLife,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Revokes a session on all instances, in the caller's transaction. Returns whether it existed. */
  async end(manager: EntityManager, notify: Notify, ended: EndedSession): Promise<boolean> {
    const { userId, id } = ended;
    const [rows] = await manager.query<[SessionRow[], number]>(END_ONE, [userId, id]);
    if (rows.length === 0) return false;
    notify(SESSION_TOPIC, id);
    await this.tell(manager, rows, ended);
    return true;
  }

  /** The same in a separate transaction; see {@link end}. */
  async endNow(ended: EndedSession): Promise<boolean> {
    return this.changes.transaction(async (manager, notify) => {
      // Lock the account row first, as every revocation of all sessions does, because a hook may need it.
      if (this.life.hears('sessionEnded')) await manager.query(LOCK_ACCOUNT, [ended.userId]);
      return this.end(manager, notify, ended);
    });
  }

  async endAll(
    manager: EntityManager,
    notify: Notify,
    ended: SessionEnding & { readonly except?: string },
  ): Promise<void> {
    const { userId, except } = ended;
    const [rows] = await manager.query<[SessionRow[], number]>(END_ALL, [userId, except ?? null]);
    for (const { id } of rows) notify(SESSION_TOPIC, id);
    await this.tell(manager, rows, ended);
  }

  /** Returns the expiry of a session that is started or renewed now, which is that of its last token. */
  expiryFrom(now: Date): Date {
    const { refreshTokenEnabled, refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds } = this.config.auth;
    const seconds = refreshTokenEnabled
      ? Math.max(refreshTokenLifetimeSeconds, accessTokenLifetimeSeconds)
      : accessTokenLifetimeSeconds;
    return new Date(now.getTime() + seconds * 1_000);
  }

  private async tell(manager: EntityManager, rows: readonly SessionRow[], ended: SessionEnding): Promise<void> {
    const { userId, reason, origin, actor = BY_OWNER.has(reason) ? accountActor(userId) : SERVICE } = ended;
    const at = this.clock.now();
    const changes = factsOf({ reason, user: userId });
    const events = rows.map(({ id }) => {
      const resource = `session:${id}`;
      return { action: 'session.end' as const, actor, resource, origin, changes, at };
    });
    await this.audit.write(manager, ...events);
    const facts = rows.map(({ id: sessionId, provider: method }) => ({ method, sessionId, reason }));
    await this.life.tell('sessionEnded', manager, userId, ...facts);
  }
}
