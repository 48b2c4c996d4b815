import { createHash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { Scheduled } from '../../../platform/jobs/job.decorators.js';
import type { QueryShape, SeenQuery } from '../../model/query-shape.types.js';

const FLUSH_MS = 60_000;
/** Milliseconds that a shape is kept after its last use. */
const KEPT_MS = 30 * 86_400_000;
/** Maximum shapes collected between two writes. Further ones are dropped until the next. @internal */
const MOST_NOTED = 1_000;
/** Maximum stored shapes. Those with the shortest total time are deleted, so that clients cannot fill the table. @internal */
const MOST_KEPT = 2_000;

interface Noted {
  readonly shape: QueryShape;
  seen: number;
  milliseconds: number;
}

/** Counts the query shapes of lists: in memory per request, and with one statement per minute. */
@Injectable()
export class SeenQueries implements OnApplicationShutdown {
  private readonly logger = new Logger('SeenQueries');
  private noted = new Map<QueryShape, Noted>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @param shape must be the same object for each run of the compiled query. */
  note(shape: QueryShape, milliseconds: number): void {
    const known = this.noted.get(shape);
    if (known !== undefined) {
      known.seen += 1;
      known.milliseconds += milliseconds;
    } else if (this.noted.size < MOST_NOTED) this.noted.set(shape, { shape, seen: 1, milliseconds });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Writes the counts. If it fails, the counts since the last write are lost. */
  @Scheduled({ name: 'queries.seen', everyMs: FLUSH_MS, on: 'each instance' })
  async flush(): Promise<void> {
    const rows = summed(this.noted.values());
    this.noted = new Map();
    if (rows.length === 0) return;
    await this.write(rows).catch((err: unknown) => {
      this.logger.warn({ err, msg: 'What lists ask for could not be noted.' });
    });
  }

  async read(): Promise<readonly SeenQuery[]> {
    return this.dataSource.query<SeenQuery[]>(
      `SELECT shape, seen::float8 AS seen, milliseconds FROM query_shapes WHERE expires_at > $1 ORDER BY query_shapes.milliseconds DESC, id`,
      [this.clock.now()],
    );
  }

  private async write(rows: readonly (readonly [id: string, noted: Noted])[]): Promise<void> {
    const columns = [
      rows.map(([id]) => id),
      rows.map(([, { shape }]) => JSON.stringify(shape)),
      rows.map(([, { seen }]) => seen),
      rows.map(([, { milliseconds }]) => milliseconds),
    ];
    await this.dataSource.transaction(async (manager) => {
      await manager.query(
        `INSERT INTO query_shapes AS s (id, shape, seen, milliseconds, expires_at)
         SELECT id, shape, seen, milliseconds, $5::timestamptz
         FROM unnest($1::char(64)[], $2::jsonb[], $3::bigint[], $4::float8[]) AS n (id, shape, seen, milliseconds)
         ON CONFLICT (id) DO UPDATE SET seen = s.seen + excluded.seen, milliseconds = s.milliseconds + excluded.milliseconds,
           expires_at = GREATEST(s.expires_at, excluded.expires_at)`,
        [...columns, new Date(this.clock.nowMs() + KEPT_MS)],
      );
      await manager.query(
        `DELETE FROM query_shapes WHERE id IN (SELECT id FROM query_shapes ORDER BY milliseconds DESC, id OFFSET ${MOST_KEPT})`,
      );
    });
  }
}

/** Merges equal shapes of different compiled queries. Sorted by id, so that concurrent writers do not deadlock. */
function summed(noted: Iterable<Noted>): readonly (readonly [id: string, noted: Noted])[] {
  const byId = new Map<string, Noted>();
  for (const { shape, seen, milliseconds } of noted) {
    const id = shapeId(shape);
    const known = byId.get(id);
    byId.set(id, {
      shape,
      seen: seen + (known?.seen ?? 0),
      milliseconds: milliseconds + (known?.milliseconds ?? 0),
    });
  }
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1));
}

function shapeId({ schema, equal, ranges, order }: QueryShape): string {
  return createHash('sha256')
    .update(JSON.stringify([schema, equal, ranges, order]))
    .digest('hex');
}
