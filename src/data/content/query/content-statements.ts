import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
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
import { StatementCache } from './statement-cache.js';

/** Maximum prepared statements per connection. @internal */
const MOST_PREPARED = 300;

/** Runs rendered statements. Repeated statements are prepared once per connection until the schemas change. */
@Injectable()
export class ContentStatements {
  private readonly cache = new StatementCache(MOST_PREPARED);
  private version = 0;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly snapshots: SchemaSnapshots,
    private readonly replica: ReadReplica,
  ) {}

  @Measures({ name: 'lintel_statements_prepared', help: 'Statements on content that connections keep prepared.' })
  prepared(): number {
    return this.cache.size;
  }

  @Measures({
    name: 'lintel_statements_prepared_max',
    help: 'Statements on content that connections keep prepared at most.',
  })
  mostPrepared(): number {
    return MOST_PREPARED;
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
   * @param freshness position that a replica must have reached; null to use only the primary.
   * @throws AppError `query_invalid` if its values cannot be computed.
   */
  async read(
    statement: SqlStatement,
    within?: EntityManager,
    freshness: ReadFreshness | null = null,
  ): Promise<readonly TextRow[]> {
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
  const errors = [{ field: 'query', code: 'out_of_range', message: 'asks for values that cannot be computed' }];
  return new AppError('query_invalid', { details: { errors }, cause });
}
