import type { Response } from 'supertest';
import { createPerson, signIn } from './people.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export async function asAdmin(app: TestApp): Promise<TestClient> {
  const person = await createPerson(app, { roles: ['admin'] });
  return app.as(await signIn(app, person));
}

/** Returns column types by name, without `_dropped_` columns. */
export async function columnsOf(app: TestApp, table: string): Promise<Record<string, string>> {
  const rows = await app.sql<{ name: string; type: string; required: boolean }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required
     FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
       AND a.attname NOT LIKE '\\_dropped\\_%' ORDER BY a.attnum`,
    [`"${table}"`],
  );
  return Object.fromEntries(rows.map(({ name, type, required }) => [name, required ? `${type} required` : type]));
}

/**
 * Reads the tables and columns that a failed change must not modify. Daily partitions of the audit log are excluded, since they are created
 * automatically.
 */
export async function catalogue(app: TestApp): Promise<unknown> {
  return app.sql(
    `SELECT c.relname, c.relkind, (SELECT json_agg(json_build_array(a.attname, a.atttypid, a.attnotnull) ORDER BY a.attnum)
       FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
       AND c.relname NOT LIKE 'audit\\_events-%' ORDER BY c.relname`,
  );
}

export function codesOf(response: Response): string[] {
  const { data } = response.body as { data: { field_errors: { code: string }[] } };
  return data.field_errors.map(({ code }) => code);
}
