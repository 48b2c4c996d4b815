import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Condition } from '../resolve/resolved.types.js';
import type { WrittenValue } from '../resolve/writes/write.types.js';
import { renderCondition } from './render-condition.js';
import type { SqlWriter } from './sql-writer.js';

export function parameters(values: ReadonlyMap<string, WrittenValue>, sql: SqlWriter): ReadonlyMap<string, string> {
  return new Map([...values].map(([column, { value, sqlType }]) => [column, sql.parameter(value, sqlType)]));
}

export function holdsOf(rule: Condition, columns: ReadonlyMap<string, string>, sql: SqlWriter): string {
  const row = sql.alias();
  const list = [...columns].map(([column, value]) => `${value} AS ${q(column)}`).join(', ');
  return `EXISTS (SELECT 1 FROM (SELECT ${list}) ${row} WHERE ${renderCondition(rule, row, sql)})`;
}
