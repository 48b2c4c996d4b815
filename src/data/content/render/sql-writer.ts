import { quoteIdentifier } from '../../model/identifiers.js';

export interface SqlStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

export class SqlWriter {
  private readonly values: unknown[] = [];
  private aliases = 0;

  parameter(value: unknown, sqlType: string): string {
    this.values.push(value);
    return `$${this.values.length}::${sqlType}`;
  }

  /** Adds a list as one parameter. Lists of simple values are serialized here, which is faster than in the driver. */
  list(values: readonly unknown[], sqlType: string): string {
    return this.parameter(values.every(isOrdinary) ? arrayText(values) : values, `${sqlType}[]`);
  }

  alias(): string {
    this.aliases += 1;
    return `t${this.aliases}`;
  }

  statement(text: string): SqlStatement {
    return { text, parameters: this.values };
  }
}

export function columnOf(alias: string, column: string): string {
  return `${alias}.${quoteIdentifier(column)}`;
}

type Ordinary = string | number | boolean | Buffer | null;

function isOrdinary(value: unknown): value is Ordinary {
  return value === null || typeof value !== 'object' ? value !== undefined : Buffer.isBuffer(value);
}

/** Serializes an array (PostgreSQL §8.15.2). */
function arrayText(values: readonly Ordinary[]): string {
  return `{${values.map(arrayElement).join(',')}}`;
}

const ESCAPED = /["\\]/g;

function arrayElement(value: Ordinary): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `"${value.search(ESCAPED) < 0 ? value : value.replaceAll(ESCAPED, '\\$&')}"`;
  return Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : String(value);
}
