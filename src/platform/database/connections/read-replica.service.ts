import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { defineCounter } from '../../../kernel/metrics.js';
import { CONFIG, type Config } from '../../config/config.types.js';
import { poolOptions } from './data-source.js';
import { DatabasePool } from './database-pool.js';
import { prepared, runTextQueryOn, type TextRow, type TextStatement } from '../text-query.js';

/** A position in the write-ahead log. On one timeline, later positions are greater. */
export interface WalPosition {
  /** In the text form of PostgreSQL: `0/16B3748` (§8.20, "pg_lsn Type"). */
  readonly lsn: string;
  readonly timeline: number;
}

const CHECK_INTERVAL_MS = 500;
/** A replica with a greater lag gets no reads. @internal */
const MAX_LAG_MS = 10_000;

const READS = defineCounter({
  name: 'lintel_replica_reads_total',
  help: 'Read requests that DATABASE_READ_URL could answer, by the server that answered.',
  labels: { by: ['replica', 'primary'] },
});

/** At or after the end of the caller's last commit, whose record is already inserted. */
const POSITION = prepared<WalPosition>(
  'wal-position',
  `SELECT lsn::text AS lsn, ('x' || substr(pg_walfile_name(lsn), 1, 8))::bit(32)::int AS timeline
  FROM (SELECT pg_current_wal_insert_lsn() AS lsn) now`,
);
/** Only a standby is used. Another server might be a primary that was replaced without noticing it. */
const HAS = `SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AND $2::int <= greatest(
  (SELECT timeline_id FROM pg_control_checkpoint()), (SELECT min_recovery_end_timeline FROM pg_control_recovery())) AS has`;

/** Reads on a standby (`DATABASE_READ_URL`). The primary answers if the standby lacks data or fails. */
@Injectable()
export class ReadReplica implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Replica');
  private readonly pool: DatabasePool | null;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  /** Positions of the primary, oldest first. The replica must have replayed the first one. */
  private past: { readonly at: number; readonly position: WalPosition }[] = [];
  private isReplica = false;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly dataSource: DataSource,
  ) {
    this.pool =
      config.databaseReadUrl === undefined ? null : new DatabasePool(poolOptions(config.databaseReadUrl, config));
    this.pool?.on('error', () => undefined);
  }

  get isConfigured(): boolean {
    return this.pool !== null;
  }

  onApplicationBootstrap(): void {
    if (this.pool !== null) this.scheduleCheck(this.pool, 0);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.checking;
    clearTimeout(this.timer);
    await this.pool?.end();
  }

  /** Stops using the replica until it has replayed everything up to now, because the schemas have changed. */
  pause(): void {
    if (!this.isConfigured) return;
    this.isReplica = false;
    this.past = [];
  }

  /** Returns a WAL position that includes everything committed up to now. */
  async position(): Promise<WalPosition> {
    const [position] = await POSITION(this.dataSource, []);
    if (position === undefined) throw new Error('The primary does not report its WAL position.');
    return position;
  }

  /** Returns null if the primary must be used. `least` is null if any state is acceptable. */
  async read(
    statement: TextStatement,
    parameters: readonly unknown[],
    least: WalPosition | null,
  ): Promise<readonly TextRow[] | null> {
    const { pool, isReplica } = this;
    const rows = pool !== null && isReplica ? await probe(pool, statement, parameters, least) : null;
    READS.inc({ by: rows === null ? 'primary' : 'replica' });
    return rows;
  }

  private scheduleCheck(pool: DatabasePool, inMs: number): void {
    this.timer = setTimeout(() => {
      this.checking = this.check(pool).finally(() => this.scheduleCheck(pool, CHECK_INTERVAL_MS));
    }, inMs);
  }

  private async check(pool: DatabasePool): Promise<void> {
    const { past } = this;
    const wasReplica = this.isReplica;
    try {
      const now = await this.position();
      past.push({ at: performance.now(), position: now });
      while (past.length > 1 && performance.now() - (past[1]?.at ?? 0) > MAX_LAG_MS) past.shift();
      const client = await pool.connect();
      try {
        const isReplica = await hasReplayed(client, past[0]?.position ?? now);
        // Ignored if the schemas changed during the check.
        if (past === this.past) this.isReplica = isReplica;
      } finally {
        client.release();
      }
    } catch {
      this.isReplica = false;
    }
    if (wasReplica === this.isReplica) return;
    const msg = this.isReplica
      ? 'The replica is in use.'
      : 'The replica does not replicate or lags behind. The primary is used instead.';
    this.logger.log({ msg });
  }
}

async function hasReplayed(client: PoolClient, { lsn, timeline }: WalPosition): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean | null }>({
    name: 'replayed',
    text: HAS,
    values: [lsn, timeline],
  });
  return rows[0]?.has === true;
}

async function probe(
  pool: DatabasePool,
  statement: TextStatement,
  parameters: readonly unknown[],
  least: WalPosition | null,
): Promise<readonly TextRow[] | null> {
  let client: PoolClient | undefined;
  try {
    client = await pool.connect();
    // Checked first, on the same connection: a standby never undoes replayed changes.
    if (least !== null && !(await hasReplayed(client, least))) return null;
    return await runTextQueryOn(client, statement, parameters);
  } catch {
    // The replica is unavailable, has old schemas, or canceled the query for its replay: use the primary.
    return null;
  } finally {
    client?.release();
  }
}
