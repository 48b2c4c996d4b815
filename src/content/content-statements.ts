import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isDataFault } from '../database/database-faults.js';
import { runTextQuery, type TextRow, type TextStatement } from '../database/text-query.js';
import { AppError } from '../kernel/app-error.js';
import type { SqlStatement } from './render/sql-writer.js';

/** Statements that are kept prepared: each connection holds them all. */
const MOST_PREPARED = 300;
/** The statement without a name, which each connection forgets at the next one. */
const UNNAMED = '';

/** Runs rendered statements that read; those that come again are parsed once a connection. */
@Injectable()
export class ContentStatements {
  private readonly known = new Map<string, TextStatement>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Returns the rows of a statement, each column as text.
   *
   * @throws AppError `query_invalid` if its values cannot be computed.
   */
  async read({ text, parameters }: SqlStatement): Promise<readonly TextRow[]> {
    try {
      return await runTextQuery(this.dataSource, this.known.get(text) ?? this.named(text), parameters);
    } catch (error) {
      throw isDataFault(error) ? notComputable(error) : error;
    }
  }

  /** Names are digests of the text: the same for every snapshot in which the statement is the same. */
  private named(text: string): TextStatement {
    if (this.known.size >= MOST_PREPARED) return { name: UNNAMED, text };
    const name = `content-${createHash('sha256').update(text).digest('base64url').slice(0, 40)}`;
    const statement = { name, text };
    this.known.set(text, statement);
    return statement;
  }
}

/** The refusal of a query that PostgreSQL cannot compute: whatever is asked, it is never a fault of ours. */
function notComputable(cause: unknown): AppError {
  const errors = [{ field: 'query', code: 'out_of_range', message: 'asks for values that cannot be computed' }];
  return new AppError('query_invalid', { details: { errors }, cause });
}
