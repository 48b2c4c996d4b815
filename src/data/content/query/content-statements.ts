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

/** Statements that each connection keeps prepared at most. @internal */
const MOST_PREPARED = 300;

/** Runs rendered statements; those that come again are parsed once a connection, as long as the schemas stay the same. */
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
   * Returns the rows of a statement, each column as text. Throws what the database refuses.
   *
   * @param within the transaction that it joins, if any.
   */
  run({ text, parameters }: SqlStatement, within?: EntityManager): Promise<readonly TextRow[]> {
    const statement = this.statementOf(text);
    if (within === undefined) return runTextQuery(this.dataSource, statement, parameters);
    // In a savepoint: a statement that fails leaves the caller a transaction that can go on.
    return within.transaction((manager) => runTextQueryIn(manager, statement, parameters));
  }

  /**
   * Returns the rows of a statement that reads.
   *
   * @param freshness what it must have seen if a replica may answer; null if only the primary may.
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
   * Returns the prepared statement of a text. What was prepared for other schemas is forgotten, and a replica that may not know them
   * is not asked.
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

/** Returns the refusal of a query that PostgreSQL cannot compute: whatever is asked, it is never a fault of ours. */
export function notComputable(cause: unknown): AppError {
  const errors = [{ field: 'query', code: 'out_of_range', message: 'asks for values that cannot be computed' }];
  return new AppError('query_invalid', { details: { errors }, cause });
}
