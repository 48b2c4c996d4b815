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

  /** A parameter, typed so that its value is never guessed. */
  parameter(value: unknown, sqlType: string): string {
    this.values.push(value);
    return `$${this.values.length}::${sqlType}`;
  }

  /** A name for a table that no other has. */
  alias(): string {
    this.aliases += 1;
    return `t${this.aliases}`;
  }

  /** The statement of a text that was written with this writer. */
  statement(text: string): SqlStatement {
    return { text, parameters: this.values };
  }
}

/** A column of a table. */
export function columnOf(alias: string, column: string): string {
  return `${alias}.${quoteIdentifier(column)}`;
}
