import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { SchemaApplier } from '../../../src/data/schema/apply/schema-applier.js';
import { prepareChange } from '../../../src/data/schema/change/prepare-change.js';
import type { LinkedTable, SchemaModel } from '../../../src/data/model/schema-model.types.js';
import { SchemaChangesService } from '../../../src/data/schema/schema-changes.service.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { modelHash } from '../../../src/data/schema/snapshot/schema-snapshot.js';
import { blog, SYSTEM } from '../../support/schema-definitions.js';
import { validSet } from '../../support/valid-schemas.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

const ACTIONS = { a: 'no_action', r: 'restrict', c: 'cascade', n: 'set_null' } as const;

/** Returns a table of the database catalog, in the terms of the model. */
async function introspect(app: TestApp, table: string): Promise<unknown> {
  const [row] = await app.sql<{ text: Record<string, unknown> }>(
    `SELECT json_build_object(
      'columns', (SELECT json_agg(json_build_array(a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, a.attidentity <> '', d.oid IS NOT NULL) ORDER BY a.attname)
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attname NOT LIKE '\\_dropped\\_%'),
      'primary', (SELECT conname FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p'),
      'indexes', (SELECT json_agg(json_build_array(i.relname, x.indisunique, x.indpred IS NOT NULL) ORDER BY i.relname)
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = c.oid AND NOT x.indisprimary),
      'checks', (SELECT json_agg(conname ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c'),
      'keys', (SELECT json_agg(json_build_array(k.conname, k.confrelid::regclass::text, k.confdeltype, k.confupdtype, k.convalidated) ORDER BY k.conname)
        FROM pg_constraint k WHERE k.conrelid = c.oid AND contype = 'f')
    ) AS text FROM pg_class c WHERE c.oid = to_regclass($1)`,
    [`"${table}"`],
  );
  return row?.text;
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^varchar/, 'character varying'],
  [/^timestamptz\(3\)$/, 'timestamp(3) with time zone'],
];

/** Returns a table of the model in the same form. */
function expected(table: LinkedTable): unknown {
  const byName = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
  const typeName = (type: string): string => TYPES.reduce((text, [from, to]) => text.replace(from, to), type);
  const orNull = <T>(list: readonly T[]): readonly T[] | null => (list.length === 0 ? null : list);
  return {
    columns: table.columns
      .map((column) => [
        column.name,
        typeName(column.sqlType),
        column.nullable,
        column.identity,
        column.default !== undefined,
      ])
      .sort(byName),
    primary: table.primaryKey.name,
    indexes: orNull(table.indexes.map((index) => [index.name, index.unique, index.live]).sort(byName)),
    checks: orNull(table.checks.map(({ name }) => name).sort()),
    keys: orNull(
      table.foreignKeys.map((key) => [key.name, key.targetTable, key.onDelete, key.onUpdate, true]).sort(byName),
    ),
  };
}

async function assertEqual(app: TestApp, model: SchemaModel): Promise<void> {
  const tables = Object.values(model.schemas).flatMap((schema) => [schema.table, ...schema.junctions]);
  for (const table of tables.filter(({ managed }) => managed)) {
    const found = (await introspect(app, table.name)) as { keys: unknown[][] | null };
    const keys = found.keys?.map(([name, target, onDelete, onUpdate, valid]) => {
      return [
        name,
        target,
        ACTIONS[onDelete as keyof typeof ACTIONS],
        ACTIONS[onUpdate as keyof typeof ACTIONS],
        valid,
      ];
    });
    expect({ table: table.name, is: { ...found, keys: keys ?? null } }).toEqual({
      table: table.name,
      is: expected(table),
    });
  }
}

describe('the database after a change', () => {
  const world = useTestApp();

  async function become(schemas: readonly Record<string, unknown>[]): Promise<SchemaModel> {
    const { snapshot } = await world.app.get(SchemaApplier).apply({
      origin: 'command',
      allowDataLoss: true,
      prepare: (current) => {
        const names = new Set(schemas.map((schema) => schema['name']));
        const remove = Object.keys(current.schemas).filter((name) => !SYSTEM.has(name) && !names.has(name));
        const change = prepareChange(current, { put: [{ json: { schemas } }], remove });
        if (!change.ok) throw new Error(JSON.stringify(change.faults));
        return change;
      },
    });
    return snapshot;
  }

  it('matches the definitions of the blog', async () => {
    await assertEqual(world.app, await become(blog()));
  });

  it('matches the definitions, from any previous state', async () => {
    await fc.assert(
      fc.asyncProperty(validSet, async (schemas) => {
        await assertEqual(world.app, await become(schemas));
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('is the same as before after an undo of any change', async () => {
    await fc.assert(
      fc.asyncProperty(validSet, validSet, async (first, second) => {
        const before = await become(first);
        const after = await become(second);
        if (after === before) return;
        await world.app.get(SchemaChangesService).undo({ backRefs: 'report', createdBy: randomUUID() });
        const { current } = world.app.get(SchemaSnapshots);
        expect(current.hash).toBe(modelHash(before));
        await assertEqual(world.app, current);
      }),
      { numRuns: 25, endOnFailure: true },
    );
  }, 240_000);
});
