import { quoteIdentifier as q } from '../../model/identifiers.js';
import type { Condition } from '../resolve/resolved.types.js';
import { renderCondition } from './render-condition.js';
import { type SqlStatement, SqlWriter } from './sql-writer.js';

/** Renders the evaluation of conditions for one record: a text with `1` or `0` for each. Null counts as false. */
export function renderVerdicts(table: string, byKey: Condition, conditions: readonly Condition[]): SqlStatement {
  const sql = new SqlWriter();
  const row = sql.alias();
  const verdicts = conditions.map(
    (condition) => `(CASE WHEN ${renderCondition(condition, row, sql)} THEN '1' ELSE '0' END)`,
  );
  const where = renderCondition(byKey, row, sql);
  return sql.statement(`SELECT ${verdicts.join(' || ')} AS verdicts FROM ${q(table)} ${row} WHERE ${where}`);
}
