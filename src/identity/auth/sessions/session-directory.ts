import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import { DataSource } from 'typeorm';
import { LastUses } from '../../../platform/database/database.public.js';
import { ChangeListener } from '../../../platform/events/change-listener.service.js';
import { Scheduled } from '../../../platform/jobs/job.decorators.js';
import { Measures } from '../../../platform/metrics/measures.decorator.js';
import { Clock } from '../../../kernel/clock.port.js';
import { USER_TOPIC } from '../../users/users.public.js';
import type { AccountPrincipal, SessionAssurance } from '../../../kernel/principal.types.js';
import { amrOf } from '../access/assurance.public.js';

/** Topic of ended sessions. The key is the session id. */
export const SESSION_TOPIC = 'session';

interface Entry {
  readonly principal: AccountPrincipal;
  readonly expiresAtMs: number;
}

interface SessionRow extends SessionAssurance {
  readonly userId: string;
  readonly email: string;
  readonly expiresAtMs: number;
  readonly provider: string;
  readonly roleIds: string[];
}

/** @internal */
const MAX_SESSIONS = 50_000;
/** The table may be large, so the count is kept. */
const COUNT_KEPT_MS = 60_000;
const WRITE_USES_EVERY_MS = 60_000;
const COUNT = 'SELECT count(*)::int AS count FROM sessions WHERE expires_at > $1';
const FIND = `SELECT s.user_id AS "userId", u.email, ${epochMs('s.expires_at')} AS "expiresAtMs", s.provider, s.amr, s.level,
  ${epochMs('s.level_at')} AS "levelAtMs", ${epochMs('coalesce(s.proven_at, s.created_at)')} AS "provenAtMs",
  u.second_factor AS "hasFactor", ${epochMs('u.created_at')} AS "accountSinceMs",
  array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.activated`;

/** Active sessions with their accounts, usually from memory. They are never older than the last change notification. */
@Injectable()
export class SessionDirectory implements OnModuleInit, OnApplicationShutdown {
  private readonly entries = boundedCache<Entry>(MAX_SESSIONS);
  private readonly uses: LastUses;

  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ChangeListener,
    private readonly clock: Clock,
  ) {
    this.uses = new LastUses('sessions', dataSource, clock);
  }

  onModuleInit(): void {
    const resync = (): void => this.entries.clear();
    this.changes.subscribe(SESSION_TOPIC, { changed: (id) => this.entries.delete(id), resync });
    this.changes.subscribe(USER_TOPIC, { changed: (id) => this.forgetUser(id), resync });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writeUses();
  }

  /** Collects the use. Requests need no query for it. */
  noteUse(sessionId: string): void {
    this.uses.note(sessionId);
  }

  /** A failure loses at most one minute of uses. */
  @Scheduled({ name: 'sessions.activity', everyMs: WRITE_USES_EVERY_MS, on: 'each instance' })
  async writeUses(): Promise<void> {
    await this.uses.flush();
  }

  /** Returns null for a session that has ended or expired, or whose account is not active. */
  find(sessionId: string, userId: string): AccountPrincipal | null | Promise<AccountPrincipal | null> {
    const entry = this.changes.isFresh() ? this.entries.get(sessionId) : undefined;
    // A refresh may have extended an expired entry without a notification.
    if (entry !== undefined && entry.expiresAtMs > this.clock.nowMs()) return this.check(entry, userId);
    return this.load(sessionId).then((loaded) => (loaded === null ? null : this.check(loaded, userId)));
  }

  /** Reads the database, because the user may have just proven more on another instance. */
  async findNow(sessionId: string, userId: string): Promise<AccountPrincipal | null> {
    const loaded = await this.load(sessionId);
    return loaded === null ? null : this.check(loaded, userId);
  }

  @Measures({ name: 'lintel_sessions_cached', help: 'Sessions in the cache of this instance.' })
  cached(): number {
    return this.entries.size;
  }

  @Measures({ name: 'lintel_sessions', help: 'Active sessions of all instances.', cacheMs: COUNT_KEPT_MS })
  async count(): Promise<number> {
    const [row] = await this.dataSource.query<[{ readonly count: number }]>(COUNT, [this.clock.now()]);
    return row.count;
  }

  private check(entry: Entry, userId: string): AccountPrincipal | null {
    return entry.principal.userId === userId && entry.expiresAtMs > this.clock.nowMs() ? entry.principal : null;
  }

  private async load(sessionId: string): Promise<Entry | null> {
    const { epoch } = this.changes;
    const [row] = await this.dataSource.query<SessionRow[]>(FIND, [sessionId]);
    if (row === undefined) return null;
    const { userId, email, expiresAtMs, provider, roleIds, amr, ...proofs } = row;
    const assurance = Object.freeze({ ...proofs, amr: amrOf({ provider, amr }) });
    const principal = Object.freeze({ kind: 'account' as const, userId, sessionId, email, roleIds, assurance });
    const entry = { principal, expiresAtMs };
    if (this.changes.epoch === epoch) this.entries.set(sessionId, entry);
    return entry;
  }

  private forgetUser(userId: string): void {
    for (const [id, entry] of this.entries) if (entry.principal.userId === userId) this.entries.delete(id);
  }
}

/** SQL of a timestamp in milliseconds since the epoch. */
function epochMs(timestamp: string): string {
  return `(extract(epoch FROM ${timestamp}) * 1000)::float8`;
}
