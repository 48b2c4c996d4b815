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

interface Position {
  readonly cursor: string;
  readonly epoch: string;
}

interface CheckRow extends Position {
  readonly behind: boolean;
  readonly notices: readonly [topic: string, key: string][];
}

const CHECK_INTERVAL_MS = 400;
const TRUST_MS = 1_000;
const QUERY_TIMEOUT_MS = 900;
const RECONNECT_MS = 200;
/** Time for which a notice is kept: far longer than any instance may be behind without a resync. */
const KEEP = '1 hour';
const SWEEP_EVERY_CHECKS = 1_500;

/** Snapshot of the transactions whose notices were seen, and the history of the database that it belongs to. */
const POSITION = (epoch: string): string => `pg_current_snapshot()::text AS cursor, ${epoch} AS epoch`;

/**
 * All notices that no earlier check could see: of transactions that began after the snapshot of the last check, or were then in
 * progress. Each is found once, whatever order transactions commit in. A snapshot that is behind the last one belongs to a
 * database that has lost transactions.
 */
const CHECK = (epoch: string): string => `SELECT ${POSITION(epoch)},
  pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot) AS behind,
  coalesce((SELECT json_agg(json_build_array(topic, key) ORDER BY id) FROM change_notices
    WHERE xid >= pg_snapshot_xmax($1::pg_snapshot) OR xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))), '[]') AS notices`;

/**
 * The history of the database: server, timeline, and start. Ids of transactions repeat after a failover, a restore or a crash, and
 * a connection to a pooler survives all of them.
 */
const EPOCH = `concat_ws(' ', pg_postmaster_start_time()::text,
  CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END)`;
/** The same with the identifier of the server, which may be hidden from an ordinary role. */
const FULL_EPOCH = `concat_ws(' ', ${EPOCH}, (SELECT system_identifier FROM pg_control_system()))`;

const BEGIN_LISTENING =
  "SELECT pg_backend_pid() AS pid, has_function_privilege('pg_control_system()', 'EXECUTE') AS full";

/** One connection that hears NOTIFY and checks for lost notices; it reconnects by itself. */
export class NoticeConnection {
  private client: DatabaseClient | null = null;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  private checking: Promise<void> | null = null;
  private again = false;
  private checkedAt = Number.NEGATIVE_INFINITY;
  private position: Position = { cursor: '', epoch: '' };
  private epoch = EPOCH;
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
      const { rows } = await client.query<CheckRow>(CHECK(this.epoch), [this.position.cursor]);
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
    const isSameHistory = row.epoch === this.position.epoch && !row.behind;
    this.position = row;
    if (!isSameHistory) this.target.resync();
    else if (row.notices.length > 0) this.target.notices(row.notices.map(([topic, key]) => ({ topic, key })));
  }

  private async connect(): Promise<DatabaseClient> {
    const client = poolOf(this.dataSource).makeClient({ statementMs: 0, query_timeout: QUERY_TIMEOUT_MS });
    client.on('notification', () => this.check());
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number; full: boolean }>(BEGIN_LISTENING);
      // Behind a pooler the session is not ours: what it hears would be told to somebody else. The check finds it.
      if (rows[0]?.pid === client.backendPid) await client.query('LISTEN lintel_changes');
      this.epoch = rows[0]?.full === true ? FULL_EPOCH : EPOCH;
      // After LISTEN: what is committed in between is found by the first check.
      const found = await client.query<Position>(`SELECT ${POSITION(this.epoch)}`);
      if (found.rows[0] !== undefined) this.position = found.rows[0];
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
