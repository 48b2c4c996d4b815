import type { DataSource } from 'typeorm';
import { type DatabaseClient, poolOf } from '../database/database.public.js';

export interface ChangeNotice {
  readonly topic: string;
  readonly key: string;
}

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
/** Time to keep a notice. It is far longer than an instance can be behind without a resync. */
const RETENTION = '1 hour';
const SWEEP_EVERY_CHECKS = 1_500;

/** Snapshot of the transactions whose notices were seen, and the epoch of the database that it belongs to. */
const POSITION = (epoch: string): string => `pg_current_snapshot()::text AS cursor, ${epoch} AS epoch`;

/**
 * All notices that no earlier check could see: of transactions that began after the snapshot of the last check, or were then in progress.
 * Each is found once, in any commit order. A snapshot that is behind the last one belongs to a database that has lost transactions.
 */
const CHECK = (epoch: string): string => `SELECT ${POSITION(epoch)},
  pg_snapshot_xmax(pg_current_snapshot()) < pg_snapshot_xmax($1::pg_snapshot) AS behind,
  coalesce((SELECT json_agg(json_build_array(topic, key) ORDER BY id) FROM change_notices
    WHERE xid >= pg_snapshot_xmax($1::pg_snapshot) OR xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))), '[]') AS notices`;

/**
 * Identifies the history of the database: server, timeline, and start. Transaction ids repeat after a failover, a restore or a crash, and a
 * connection to a pooler survives all of them.
 */
const EPOCH = `concat_ws(' ', pg_postmaster_start_time()::text,
  CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END)`;
/** Also includes the system identifier, which an ordinary role may not be allowed to read. */
const FULL_EPOCH = `concat_ws(' ', ${EPOCH}, (SELECT system_identifier FROM pg_control_system()))`;

const START_LISTENING =
  "SELECT pg_backend_pid() AS pid, has_function_privilege('pg_control_system()', 'EXECUTE') AS full";

/** One connection that receives NOTIFY, checks for lost notices, and reconnects automatically. */
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

  isFresh(): boolean {
    return this.ageMs < TRUST_MS;
  }

  /** Milliseconds since the beginning of the last complete check; infinite before the first. */
  get ageMs(): number {
    return performance.now() - this.checkedAt;
  }

  start(): void {
    this.stopped = false;
    this.check();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.checking;
    await this.drop();
  }

  /** Runs one check at a time. A notice that arrives meanwhile causes another check immediately after it. */
  private check(): void {
    // A notice may arrive while the connection is closing, and must not open another one.
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
        await client.query(`DELETE FROM change_notices WHERE created_at < now() - interval '${RETENTION}'`);
      }
      return CHECK_INTERVAL_MS;
    } catch {
      // The database is unavailable: caches are not used after a second, and requests detect it themselves.
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
    const client = poolOf(this.dataSource).createClient({ statementMs: 0, query_timeout: QUERY_TIMEOUT_MS });
    client.on('notification', () => this.check());
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number; full: boolean }>(START_LISTENING);
      // Behind a pooler the session is shared: notifications would reach another client. The regular check finds the notices.
      if (rows[0]?.pid === client.backendPid) await client.query('LISTEN lintel_changes');
      this.epoch = rows[0]?.full === true ? FULL_EPOCH : EPOCH;
      // After LISTEN, so that the first check finds changes committed in between.
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
