import { quoteIdentifier } from './sql-identifier.js';

/** The expression of a search index; a search must use the very same one to be served by it. */
export function searchExpression(columns: readonly string[]): string {
  const text = columns.map((column) => `coalesce(${quoteIdentifier(column)}, '')`).join(` || ' ' || `);
  return `to_tsvector('simple', ${text})`;
}
