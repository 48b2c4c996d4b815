import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { initialSnapshot } from '../schema/change/prepare-change.js';
import '../../app.module.js';
import { declaredSystemSchemas } from '../../kernel/system-schema.js';
import { reservedTable } from './reserved-words.js';
import { SYSTEM } from '../../../test/support/schema-definitions.js';

const SOURCES = join(__dirname, '../..');

/** Returns the tables that the migrations make and leave, each with its columns as `name type NOT NULL`. */
function migratedTables(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.spec)\.ts$/.test(file),
  );
  const sources = files.sort().map((file) => readFileSync(join(SOURCES, file), 'utf8'));
  const migrations = sources.filter((source) => source.includes('implements MigrationInterface'));
  const text = migrations.map((source) => source.split('async down(')[0]).join('\n');
  const dropped = new Set([...text.matchAll(/DROP TABLE "(\w+)"/g)].map(([, name]) => name));
  const tables = [...text.matchAll(/CREATE (?:UNLOGGED )?TABLE "(\w+)" \(([\s\S]*?)\n\s*\)`/g)];
  const added = [...text.matchAll(/ALTER TABLE "(\w+)" (ADD COLUMN [^;`]+)/g)];
  const addedTo = (name: string): readonly string[] =>
    added
      .filter(([, table]) => table === name)
      .flatMap(([, , body = '']) => [...body.matchAll(/ADD COLUMN "(\w+)" ([a-z]+(?:\(\d+\))?)([^,]*)/g)])
      .map(([, column, type, rest = '']) => `${column} ${type}${/NOT NULL/.test(rest) ? ' NOT NULL' : ''}`);
  return new Map(
    tables
      .filter(([, name]) => !dropped.has(name))
      .map(([, name = '', body = '']) => {
        const lines = [...body.matchAll(/^\s*"(\w+)" ([a-z]+(?:\(\d+\))?)(.*)$/gm)];
        return [
          name,
          [
            ...lines.map(
              ([, column, type, rest = '']) => `${column} ${type}${/NOT NULL/.test(rest) ? ' NOT NULL' : ''}`,
            ),
            ...addedTo(name),
          ],
        ];
      }),
  );
}

const tables = migratedTables();
const { schemas } = initialSnapshot(SYSTEM);

describe('system schemas and migrations', () => {
  test.each(Object.values(schemas).map((schema) => [schema.name, schema] as const))(
    '%s is the table that was made for it',
    (name, { table }) => {
      const internal = Object.keys(SYSTEM.get(name)?.internalColumns ?? {});
      const made = (tables.get(table.name) ?? []).filter((line) => !internal.includes(line.split(' ')[0] ?? ''));
      const linked = table.columns.map(
        (column) => `${column.name} ${column.sqlType}${column.nullable ? '' : ' NOT NULL'}`,
      );
      expect([...made].sort()).toEqual([...linked].sort());
    },
  );

  test('the schemas that specs work with are those that the modules declare', () => {
    expect([...declaredSystemSchemas().keys()].sort()).toEqual([...SYSTEM.keys()].sort());
  });

  test('no schema can take a table of the service', () => {
    const own = new Set(Object.values(schemas).map((schema) => schema.namespace));
    const free = [...tables.keys()].filter((table) => !own.has(table) && reservedTable(table) === undefined);
    expect(free).toEqual([]);
    expect(tables.size).toBeGreaterThan(10);
  });
});
