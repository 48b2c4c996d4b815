import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LRUCache } from 'lru-cache';
import {
  isDataFault,
  runTextQuery,
  runTextQueryIn,
  type TextRow,
  type TextStatement,
} from '../../../platform/database/database.public.js';
import { ReadReplica } from '../../../platform/database/connections/read-replica.service.js';
import { Measures } from '../../../platform/metrics/measures.decorator.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { ReadFreshness } from './read-consistency.service.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import type { SqlStatement } from '../render/sql-writer.js';

/** Maximum prepared statements per connection. @internal */
const MAX_PREPARED = 300;

export interface ReadOptions {
  /** Transaction to join. */
  readonly within?: EntityManager | undefined;
  /** Position that a replica must have reached; null to use only the primary. */
  readonly freshness?: ReadFreshness | null;
}

/** Runs rendered statements. Repeated statements are prepared once per connection until the schemas change. */
@Injectable()
export class ContentStatements {
  private readonly cache = new StatementCache(MAX_PREPARED);
  private version = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly snapshots: SchemaSnapshots,
    private readonly replica: ReadReplica,
  ) {}

  @Measures({ name: 'lintel_statements_prepared', help: 'Prepared content statements per connection.' })
  prepared(): number {
    return this.cache.size;
  }

  @Measures({
    name: 'lintel_statements_prepared_max',
    help: 'Maximum of prepared content statements per connection.',
  })
  maxPrepared(): number {
    return MAX_PREPARED;
  }

  /**
   * Returns the rows of a statement, each column as text. Rejects with database errors.
   *
   * @param within transaction to join.
   */
  run({ text, parameters }: SqlStatement, within?: EntityManager): Promise<readonly TextRow[]> {
    const statement = this.statementOf(text);
    if (within === undefined) return runTextQuery(this.dataSource, statement, parameters);
    // A savepoint keeps the transaction of the caller usable if the statement fails.
    return within.transaction((manager) => runTextQueryIn(manager, statement, parameters));
  }

  /**
   * Runs a read.
   *
   * @throws AppError `query_invalid` if its values cannot be computed.
   */
  async read(statement: SqlStatement, { within, freshness = null }: ReadOptions = {}): Promise<readonly TextRow[]> {
    try {
      const { text, parameters } = statement;
      const rows =
        freshness === null ? null : await this.replica.read(this.statementOf(text), parameters, freshness.least);
      return rows ?? (await this.run(statement, within));
    } catch (error) {
      throw isDataFault(error) ? notComputable(error) : error;
    }
  }

  /**
   * Returns the prepared statement of a text. After a schema change the cache is cleared and the replica is paused, because it may not have
   * the change yet.
   */
  private statementOf(text: string): TextStatement {
    const { version } = this.snapshots.current;
    if (version !== this.version) {
      this.cache.clear();
      this.replica.pause();
    }
    this.version = version;
    return this.cache.of(text);
  }
}

/** Maps a computation error of PostgreSQL to `query_invalid`. The values come from the request, so it is not a server error. */
export function notComputable(cause: unknown): AppError {
  const errors = [{ field: 'query', code: 'out_of_range', message: 'requests values that cannot be computed' }];
  return new AppError('query_invalid', { details: { errors }, cause });
}

/**
 * Chooses the statements to keep prepared: the most recently used of those that ran more than once. Each has one of a fixed number of
 * names. If a name is reused, each connection closes the old statement at its next use of the name (PostgreSQL §54.2.3). So no connection
 * has more than `capacity` prepared statements.
 */
export class StatementCache {
  private readonly statements: LRUCache<string, TextStatement>;
  /** Texts that ran once. One-off statements must not evict prepared ones. */
  private readonly seen: LRUCache<string, true>;
  private free: string[] = [];

  constructor(private readonly capacity: number) {
    const dispose = ({ name }: TextStatement): unknown => this.free.push(name);
    this.statements = new LRUCache({ max: capacity, dispose });
    this.seen = new LRUCache({ max: 2 * capacity });
    this.clear();
  }

  get size(): number {
    return this.statements.size;
  }

  of(text: string): TextStatement {
    const cached = this.statements.get(text);
    if (cached !== undefined) return cached;
    if (!this.seen.delete(text)) {
      this.seen.set(text, true);
      return { name: '', text };
    }
    // Evicts the least recently used statement.
    if (this.free.length === 0) this.statements.pop();
    const statement = { name: this.free.pop() ?? '', text };
    this.statements.set(text, statement);
    return statement;
  }

  clear(): void {
    this.statements.clear();
    this.seen.clear();
    this.free = Array.from({ length: this.capacity }, (_, at) => `lintel_${this.capacity - at}`);
  }
}
