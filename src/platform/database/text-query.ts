import type { Connection, PoolClient, Submittable, QueryResult } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { poolOf } from './connections/database-pool.js';

/** A row as PostgreSQL sends it: each column as text, in the order of the statement. */
export type TextRow = readonly (string | null)[];

/** Private members of a connection that the driver passes to a submitted statement. */
interface StatementConnection extends Connection {
  /** Texts of the statements that this connection has parsed, by name. The driver maintains them. */
  readonly parsedStatements: Partial<Record<string, string>>;
}

export interface TextStatement {
  /** Name of the prepared statement; empty for one that is parsed each time. */
  readonly name: string;
  readonly text: string;
}

/** Returns rows as text, without the column description, objects and types of `pool.query`. */
export async function runTextQuery(
  dataSource: DataSource,
  statement: TextStatement,
  parameters: readonly unknown[],
): Promise<readonly TextRow[]> {
  return poolOf(dataSource).run<readonly TextRow[]>(new TextQuery(statement, parameters));
}

export async function runTextQueryIn(
  { queryRunner }: EntityManager,
  statement: TextStatement,
  parameters: readonly unknown[],
): Promise<readonly TextRow[]> {
  return runTextQueryOn((await queryRunner?.connect()) as TextClient, statement, parameters);
}

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

interface TextClient {
  query(statement: Submittable, values: undefined, done: Done): void;
}

type Done = (error: Error | null | undefined, rows?: unknown) => void;

const UNKNOWN_STATEMENT = '26000';

/** One execution of a statement (the extended query protocol, PostgreSQL §54.2.3). */
class TextQuery implements Submittable {
  readonly name: string;
  readonly text: string;
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

  /** Sends Parse. Another statement may have the same name, so the name is closed first. Closing an unknown name is no error. */
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

  /** Forgets a statement that the server does not know, so that it is parsed again next time. */
  handleError(error: Error & { readonly code?: string }, connection?: Connection): void {
    if (error.code === UNKNOWN_STATEMENT && connection !== undefined)
      delete (connection as StatementConnection).parsedStatements[this.name];
    this.callback?.(error);
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

function parameterText(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return arrayText(value);
  if (Buffer.isBuffer(value)) return value;
  throw new TypeError(`A parameter cannot have the type ${typeof value}.`);
}

/** Returns an array literal (PostgreSQL §8.15.2). Every element is quoted, so none can be misread. */
function arrayText(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    const text = parameterText(value);
    if (Buffer.isBuffer(text)) throw new TypeError('Bytes cannot be elements of a parameter.');
    return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${elements.join(',')}}`;
}

type Prepared<Row> = (dataSource: DataSource, parameters: readonly unknown[]) => Promise<Row[]>;

/** Creates a named prepared statement for a hot path. It uses the driver's pool directly, without the overhead of TypeORM. */
export function prepared<Row extends object>(name: string, text: string): Prepared<Row> {
  return async (dataSource, parameters) => {
    const statement = { name, text, values: [...parameters] };
    const { rows } = await poolOf(dataSource).run<QueryResult<Row>>(statement);
    return rows;
  };
}
