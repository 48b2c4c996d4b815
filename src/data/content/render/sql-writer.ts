import { quoteIdentifier } from '../../model/identifiers.js';

/** A statement with its parameters. */
export interface SqlStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Gathers the parameters of one statement and hands out names for its tables. */
export class SqlWriter {
  private readonly values: unknown[] = [];
  private aliases = 0;

  /** Returns a parameter, typed so that its value is never guessed. */
  parameter(value: unknown, sqlType: string): string {
    this.values.push(value);
    return `$${this.values.length}::${sqlType}`;
  }

  /** Returns many values as one parameter; of the ordinary ones the driver need not ask what each may be. */
  list(values: readonly unknown[], sqlType: string): string {
    return this.parameter(values.every(isOrdinary) ? arrayText(values) : values, `${sqlType}[]`);
  }

  /** Returns a name for a table that no other has. */
  alias(): string {
    this.aliases += 1;
    return `t${this.aliases}`;
  }

  /** Returns the statement of a text that was written with this writer. */
  statement(text: string): SqlStatement {
    return { text, parameters: this.values };
  }
}

/** Returns a column of a table. */
export function columnOf(alias: string, column: string): string {
  return `${alias}.${quoteIdentifier(column)}`;
}

/** Values that columns of fields hold. */
type Ordinary = string | number | boolean | Buffer | null;

function isOrdinary(value: unknown): value is Ordinary {
  return value === null || typeof value !== 'object' ? value !== undefined : Buffer.isBuffer(value);
}

/** Returns values as the text of an array (PostgreSQL §8.15.2). */
function arrayText(values: readonly Ordinary[]): string {
  return `{${values.map(arrayElement).join(',')}}`;
}

const ESCAPED = /["\\]/g;

function arrayElement(value: Ordinary): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${value.search(ESCAPED) < 0 ? value : value.replaceAll(ESCAPED, '\\$&')}"`;
  return Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : String(value);
}
