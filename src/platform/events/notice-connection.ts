import type { DataSource } from 'typeorm';
import { type DatabaseClient, poolOf } from '../database/database.public.js';

/** Something changed: a kind of thing and its key. */
export interface ChangeNotice {
  readonly topic: string;
  readonly key: string;
}

/** Receives the notices. */
export interface NoticeTarget {
  notices(notices: readonly ChangeNotice[]): void;
  resync(): void;
}

interface CheckRow {
  horizon: string;
  notices: [id: number, topic: string, key: string][];
}

const CHECK_INTERVAL_MS = 400;
const TRUST_MS = 1_000;
const QUERY_TIMEOUT_MS = 900;
const RECONNECT_MS = 200;
/** Time for which a notice is kept: far longer than any instance may be behind without a resync. */
const KEEP = '1 hour';
const SWEEP_EVERY_CHECKS = 1_500;

/**
 * All notices of transactions that were not yet visible at the last check: those whose id is at or above the oldest one
 * then in progress. Nothing is missed, whatever order transactions commit in; what comes twice is passed over by its id.
 */
const CHECK = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon,
  coalesce((SELECT json_agg(json_build_array(id, topic, key) ORDER BY id) FROM change_notices WHERE xid >= $1::xid8), '[]') AS notices`;

const BEGIN_LISTENING = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, pg_backend_pid() AS pid';

/** One connection that hears NOTIFY and checks for lost notices; it reconnects by itself. */
export class NoticeConnection {
  private client: DatabaseClient | null = null;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private checking: Promise<void> | null = null;
  private again = false;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private horizon = '0';
  private seen = new Set<number>();
  private checks = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly target: NoticeTarget,
  ) {}

  /** Returns whether the last complete check is at most a second old. */
  isFresh(): boolean {
    return this.ageMs < TRUST_MS;
  }

  /** Milliseconds since the begin of the last complete check; infinite before the first. */
  get ageMs(): number {
    return performance.now() - this.checkedAt;
  }

  /** Connects and keeps checking. */
  start(): void {
    this.stopped = false;
    this.check();
  }

  /** Ends the connection. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.checking;
    await this.drop();
  }

  /** Runs one check at a time; a notice that arrives meanwhile causes one more at once. After a stop there is none. */
  private check(): void {
    // A notice may still arrive while the connection is being ended: it must not open another.
    if (this.stopped) return;
    if (this.checking !== null) {
      this.again = true;
      return;
    }
    clearTimeout(this.timer);
    this.again = false;
    this.checking = this.runCheck().then((delayMs) => {
      this.checking = null;
      if (this.stopped) return;
      if (this.again) this.check();
      else this.timer = setTimeout(() => this.check(), delayMs).unref();
    });
  }

  private async runCheck(): Promise<number> {
    try {
      const client = this.client ?? (await this.connect());
      const startedAt = performance.now();
      const { rows } = await client.query<CheckRow>(CHECK, [this.horizon]);
      this.accept(rows[0]);
      this.checkedAt = startedAt;
      this.checks += 1;
      if (this.checks % SWEEP_EVERY_CHECKS === 0) {
        await client.query(`DELETE FROM change_notices WHERE created_at < now() - interval '${KEEP}'`);
      }
      return CHECK_INTERVAL_MS;
    } catch {
      // The database is away: caches stop being trusted after a second, and requests find out by themselves.
      await this.drop();
      return RECONNECT_MS;
    }
  }

  private accept(row: CheckRow | undefined): void {
    if (row === undefined) return;
    const fresh = row.notices.filter(([id]) => !this.seen.has(id));
    this.seen = new Set(row.notices.map(([id]) => id));
    this.horizon = row.horizon;
    if (fresh.length > 0) this.target.notices(fresh.map(([, topic, key]) => ({ topic, key })));
  }

  private async connect(): Promise<DatabaseClient> {
    const client = poolOf(this.dataSource).makeClient({ statementMs: 0, query_timeout: QUERY_TIMEOUT_MS });
    client.on('notification', () => this.check());
    try {
      await client.connect();
      const { rows } = await client.query<{ horizon: string; pid: number }>(BEGIN_LISTENING);
      // Behind a pooler the session is not ours: what it hears would be told to somebody else. The check finds it.
      if (rows[0]?.pid === client.backendPid) await client.query('LISTEN lintel_changes');
      this.horizon = rows[0]?.horizon ?? '0';
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
    this.target.resync();
    return client;
  }

  private async drop(): Promise<void> {
    const client = this.client;
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}
