import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { initialSnapshot } from '../schema/change/prepare-change.js';
import '../../app.module.js';
import { declaredSystemSchemas } from '../../kernel/system-schema.js';
import { reservedTable } from './identifiers.js';
import { SYSTEM } from '../../../test/support/schema-definitions.js';

/** Columns that the migrations create, each as `name type NOT NULL`. test/contract/migrations.spec.ts keeps the file up to date. */
function describedTables(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(__dirname, '../../../test/contract/schema.txt'), 'utf8');
  const tables = text.matchAll(/^(?:unlogged |partitioned )?table (\w+)\n((?: {2}.*\n)+)/gm);
  return new Map(Array.from(tables, ([, name = '', facts = '']) => [name, columnsOf(facts)]));
}

function columnsOf(facts: string): readonly string[] {
  const columns = facts.matchAll(/^ {2}column (\w+) (.+)$/gm);
  return Array.from(columns, ([, name, rest = '']) => {
    const type = rest
      .replace(/ (COLLATE|NOT NULL|GENERATED|DEFAULT|STORAGE).*$/, '')
      .replace('character varying', 'varchar');
    const short = type.replace(/^timestamp(.*) with time zone$/, 'timestamptz$1');
    return `${name} ${short}${/ NOT NULL/.test(rest) ? ' NOT NULL' : ''}`;
  });
}

const tables = describedTables();
const { schemas } = initialSnapshot(SYSTEM);

describe('system schemas and the tables of migrations', () => {
  test.each(Object.values(schemas).map((schema) => [schema.name, schema] as const))(
    '%s is the table of its migration',
    (name, { table }) => {
      const internal = Object.keys(SYSTEM.get(name)?.internalColumns ?? {});
      const existing = (tables.get(table.name) ?? []).filter((line) => !internal.includes(line.split(' ')[0] ?? ''));
      const linked = table.columns.map(
        (column) => `${column.name} ${column.sqlType}${column.nullable ? '' : ' NOT NULL'}`,
      );
      expect([...existing].sort()).toEqual([...linked].sort());
    },
  );

  test('the schemas of the specs are those of the modules', () => {
    expect([...declaredSystemSchemas().keys()].sort()).toEqual([...SYSTEM.keys()].sort());
  });

  test('no schema can use a table of the service', () => {
    const own = new Set(Object.values(schemas).map((schema) => schema.namespace));
    const free = [...tables.keys()].filter((table) => !own.has(table) && reservedTable(table) === undefined);
    expect(free).toEqual([]);
    expect(tables.size).toBeGreaterThan(10);
  });
});
