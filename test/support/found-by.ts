import { renderCondition } from '../../src/data/content/render/render-condition.js';
import { SqlWriter } from '../../src/data/content/render/sql-writer.js';
import type { Condition } from '../../src/data/content/resolve/conditions.js';
import type { TestApp } from './test-app.js';

export async function foundBy(app: TestApp, table: string, condition: Condition): Promise<string[]> {
  const sql = new SqlWriter();
  const row = sql.alias();
  const where = renderCondition(condition, row, sql);
  const { text, parameters } = sql.statement(`SELECT id FROM ${table} ${row} WHERE ${where} ORDER BY id`);
  return (await app.sql<{ id: string }>(text, [...parameters])).map(({ id }) => id);
}
