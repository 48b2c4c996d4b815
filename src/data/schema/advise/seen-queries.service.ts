import { hash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { Scheduled } from '../../../platform/jobs/job.decorators.js';
import type { QueryShape, SeenQuery } from '../../model/schema-model.types.js';

const FLUSH_MS = 60_000;
/** Milliseconds that a shape is kept after its last use. */
const RETENTION_MS = 30 * 86_400_000;
/** Maximum shapes collected between two writes. Further ones are dropped until the next. @internal */
const MAX_PENDING = 1_000;
/** Maximum stored shapes. Those with the shortest total time are deleted, so that clients cannot fill the table. @internal */
const MAX_STORED = 2_000;

type Noted = { -readonly [K in keyof SeenQuery]: SeenQuery[K] };

/** Counts the query shapes of lists: in memory per request, and with one statement per minute. */
@Injectable()
export class SeenQueries implements OnApplicationShutdown {
  private readonly logger = new Logger('SeenQueries');
  private pending = new Map<QueryShape, Noted>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @param shape must be the same object for each run of the compiled query. */
  note(shape: QueryShape, milliseconds: number): void {
    const existing = this.pending.get(shape);
    if (existing !== undefined) {
      existing.seen += 1;
      existing.milliseconds += milliseconds;
    } else if (this.pending.size < MAX_PENDING) this.pending.set(shape, { shape, seen: 1, milliseconds });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Writes the counts. If it fails, the counts since the last write are lost. */
  @Scheduled({ name: 'queries.seen', everyMs: FLUSH_MS, on: 'each instance' })
  async flush(): Promise<void> {
    const rows = [...this.pending.values()];
    this.pending = new Map();
    if (rows.length === 0) return;
    await this.write(rows).catch((err: unknown) => {
      this.logger.warn({ err, msg: 'Query statistics of lists could not be stored.' });
    });
  }

  async read(): Promise<readonly SeenQuery[]> {
    return this.dataSource.query<SeenQuery[]>(
      `SELECT shape, seen::float8 AS seen, milliseconds FROM query_shapes WHERE expires_at > $1 ORDER BY query_shapes.milliseconds DESC, id`,
      [this.clock.now()],
    );
  }

  /** Merges equal shapes of different compiled queries. Ordered by id, so that concurrent writers do not deadlock. */
  private async write(rows: readonly Noted[]): Promise<void> {
    const columns = [
      rows.map(({ shape: { schema, equal, ranges, order } }) =>
        hash('sha256', JSON.stringify([schema, equal, ranges, order])),
      ),
      rows.map(({ shape }) => JSON.stringify(shape)),
      rows.map(({ seen }) => seen),
      rows.map(({ milliseconds }) => milliseconds),
    ];
    await this.dataSource.transaction(async (manager) => {
      await manager.query(
        `INSERT INTO query_shapes AS s (id, shape, seen, milliseconds, expires_at)
         SELECT id, (array_agg(shape))[1], sum(seen), sum(milliseconds), $5::timestamptz
         FROM unnest($1::char(64)[], $2::jsonb[], $3::bigint[], $4::float8[]) AS n (id, shape, seen, milliseconds)
         GROUP BY id ORDER BY id
         ON CONFLICT (id) DO UPDATE SET seen = s.seen + excluded.seen, milliseconds = s.milliseconds + excluded.milliseconds,
           expires_at = GREATEST(s.expires_at, excluded.expires_at)`,
        [...columns, new Date(this.clock.nowMs() + RETENTION_MS)],
      );
      await manager.query(
        `DELETE FROM query_shapes WHERE id IN (SELECT id FROM query_shapes ORDER BY milliseconds DESC, id OFFSET ${MAX_STORED})`,
      );
    });
  }
}
