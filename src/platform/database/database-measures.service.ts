import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Reading } from '../../kernel/metrics.js';
import { CONFIG, type Config } from '../config/config.types.js';
import { Measures } from '../metrics/measures.decorator.js';
import { poolOf } from './connections/database-pool.js';

const SIZE_KEPT_MS = 60_000;

@Injectable()
export class DatabaseMeasures {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Measures({ name: 'lintel_database_connections', help: 'Connections of the pool, by state.' })
  connections(): readonly Reading[] {
    const { totalCount, idleCount } = poolOf(this.dataSource);
    return [
      { labels: { state: 'idle' }, value: idleCount },
      { labels: { state: 'busy' }, value: totalCount - idleCount },
    ];
  }

  @Measures({ name: 'lintel_database_connections_max', help: 'Maximum number of connections of the pool.' })
  maxConnections(): number {
    return this.config.databasePoolSize;
  }

  @Measures({ name: 'lintel_database_waiting', help: 'Requests that wait for a connection.' })
  waiting(): number {
    return poolOf(this.dataSource).waitingCount;
  }

  @Measures({
    name: 'lintel_database_embedded',
    help: '1 for the embedded database, 0 for the database of DATABASE_URL.',
  })
  embedded(): number {
    return this.config.databaseUrl === undefined ? 1 : 0;
  }

  @Measures({ name: 'lintel_database_up', help: '1 if the database responds.' })
  async up(): Promise<number> {
    return this.dataSource.query('SELECT 1').then(
      () => 1,
      () => 0,
    );
  }

  @Measures({
    name: 'lintel_database_start_time_seconds',
    help: 'Start time of the database server, in seconds since 1970. It changes with every restart.',
  })
  startTime(): Promise<number> {
    return this.read('SELECT extract(epoch FROM pg_postmaster_start_time())::float8 AS value');
  }

  @Measures({ name: 'lintel_database_size_bytes', help: 'Size of the database.', cacheMs: SIZE_KEPT_MS })
  size(): Promise<number> {
    return this.read('SELECT pg_database_size(current_database())::float8 AS value');
  }

  private async read(text: string): Promise<number> {
    const [row] = await this.dataSource.query<[{ readonly value: number }]>(text);
    return row.value;
  }
}
