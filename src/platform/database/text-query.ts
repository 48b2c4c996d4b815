import type { Connection, PoolClient, Submittable, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { poolOf } from './connections/database-pool.js';

/** A row as PostgreSQL sends it: each column as text, in the order of the statement. */
export type TextRow = readonly (string | null)[];

/** Members of a connection that the driver keeps to itself but hands to whoever submits a statement to it. */
interface StatementConnection extends Connection {
  /** Texts of the statements that this connection has parsed, by name; noted by the driver. */
  readonly parsedStatements: Partial<Record<string, string>>;
}

/** A statement whose columns are known, so that its rows need neither a description nor a conversion. */
export interface TextStatement {
  /** The name under which connections keep it parsed; empty for one that is parsed each time. */
  readonly name: string;
  readonly text: string;
}

/**
 * Runs a prepared statement over the driver's pool and answers its rows as PostgreSQL sends them. It does less than
 * `pool.query` (no description of the columns, no objects, no types): for statements whose answer is text already.
 */
export async function runTextQuery(
  dataSource: DataSource,
  statement: TextStatement,
  parameters: readonly unknown[],
): Promise<readonly TextRow[]> {
  return poolOf(dataSource).run<readonly TextRow[]>(new TextQuery(statement, parameters));
}

/** Runs a statement as {@link runTextQuery} does, on the connection of a transaction. */
export async function runTextQueryIn(
  { queryRunner }: EntityManager,
  statement: TextStatement,
  parameters: readonly unknown[],
): Promise<readonly TextRow[]> {
  return runTextQueryOn((await queryRunner?.connect()) as TextClient, statement, parameters);
}

/** Runs a statement as {@link runTextQuery} does, on a connection that the caller has. */
export function runTextQueryOn(
  client: TextClient | PoolClient,
  statement: TextStatement,
  parameters: readonly unknown[],
): Promise<readonly TextRow[]> {
  return new Promise((resolve, reject) => {
    (client as TextClient).query(new TextQuery(statement, parameters), undefined, (error, rows) => {
      if (error) reject(error);
      else resolve(rows as readonly TextRow[]);
    });
  });
}

/** A connection of the driver, as far as it takes statements. */
interface TextClient {
  query(statement: Submittable, values: undefined, done: Done): void;
}

type Done = (error: Error | null | undefined, rows?: unknown) => void;

/** SQLSTATE of a prepared statement that is not there (PostgreSQL Appendix A). */
const UNKNOWN_STATEMENT = '26000';

/** One run of a statement, as the driver wants what is submitted to it (the extended query protocol, PostgreSQL §54.2.3). */
class TextQuery implements Submittable {
  readonly name: string;
  readonly text: string;
  /** Set by the driver. */
  callback: Done | null = null;
  private readonly rows: TextRow[] = [];
  private readonly values: readonly (string | Buffer | null)[];

  constructor({ name, text }: TextStatement, parameters: readonly unknown[]) {
    this.name = name;
    this.text = text;
    this.values = parameters.map(parameterText);
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    stream.cork();
    try {
      this.parse(connection as StatementConnection);
      connection.bind({ statement: this.name, values: this.values } as Parameters<Connection['bind']>[0], true);
      connection.execute(null, true);
      connection.sync();
    } finally {
      stream.uncork();
    }
  }

  /** Sends Parse. A name may have stood for another statement, which is closed first. Closing what is not there is no error. */
  private parse(connection: StatementConnection): void {
    const { name, text } = this;
    const { parsedStatements } = connection;
    if (name !== '' && parsedStatements[name] === text) return;
    if (name !== '') {
      delete parsedStatements[name];
      connection.close({ type: 'S', name }, true);
    }
    connection.parse({ name, text, types: [] }, true);
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    this.rows.push(fields);
  }

  handleReadyForQuery(): void {
    this.callback?.(null, this.rows);
  }

  /** Forgets a statement that the server does not know, so that it is parsed anew the next time. */
  handleError(error: Error & { readonly code?: string }, connection?: Connection): void {
    if (error.code === UNKNOWN_STATEMENT && connection !== undefined)
      delete (connection as StatementConnection).parsedStatements[this.name];
    this.callback?.(error);
  }

  /** Passes over what the server says besides: nothing of it is needed. */
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

/** Returns a parameter as PostgreSQL reads it from text. */
function parameterText(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return arrayText(value);
  if (Buffer.isBuffer(value)) return value;
  throw new TypeError(`A parameter cannot be of type ${typeof value}.`);
}

/** Returns an array (PostgreSQL §8.15.2): every element quoted, which leaves nothing to be taken for something else. */
function arrayText(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    const text = parameterText(value);
    if (Buffer.isBuffer(text)) throw new TypeError('Bytes cannot be elements of a parameter.');
    return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${elements.join(',')}}`;
}

/** A statement that PostgreSQL parses once a connection. */
type Prepared<Row> = (dataSource: DataSource, parameters: readonly unknown[]) => Promise<Row[]>;

/**
 * Makes a named prepared statement for a hot path: straight over the driver's pool, without the work that TypeORM does
 * for each query.
 */
export function prepared<Row extends object>(name: string, text: string): Prepared<Row> {
  return async (dataSource, parameters) => {
    const statement = { name, text, values: [...parameters] };
    const { rows } = await poolOf(dataSource).run<QueryResult<Row>>(statement);
    return rows;
  };
}
