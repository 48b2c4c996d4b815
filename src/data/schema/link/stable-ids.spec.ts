import {
  applied,
  blog,
  faultsOf,
  field,
  relation,
  schema,
  snapshotOf,
  summary,
  SYSTEM,
} from '../../../../test/support/schema-definitions.js';
import { initialSnapshot } from '../change/prepare-change.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { orderRenames } from '../plan/plan-names.js';
import { seededIds } from './stable-ids.js';

const owner = { owner: true };
const foreignKey = (snapshot: SchemaSnapshot, schemaName: string, column: string) => {
  return snapshot.schemas[schemaName]?.table.foreignKeys.find((key) => key.column === column);
};

describe('stable ids', () => {
  const before = snapshotOf(schema('post', [field('int', 'x'), field('int', 'y')]));
  const idOf = (snapshot: SchemaSnapshot, name: string, at: string) => snapshot.schemas[name]?.fields[at]?.id;

  test('survive a change of type', () => {
    const { snapshot } = applied(before, {
      put: [{ json: schema('post', [field('string', 'x'), field('int', 'y')]) }],
    });
    expect(idOf(snapshot, 'post', 'x')).toBe(idOf(before, 'post', 'x'));
  });

  test('follow renames, also exchanged names', () => {
    const json = {
      ...schema('page', [field('int', 'y'), field('int', 'x')]),
      renames: { schema: 'post', fields: { x: 'y', y: 'x' } },
    };
    const { snapshot } = applied(before, { put: [{ json }] });
    expect(snapshot.schemas['page']?.id).toBe(before.schemas['post']?.id);
    expect(idOf(snapshot, 'page', 'x')).toBe(idOf(before, 'post', 'y'));
    expect(idOf(snapshot, 'page', 'y')).toBe(idOf(before, 'post', 'x'));
    expect(snapshot.schemas).not.toHaveProperty('post');
  });

  test('are new for a recreated field', () => {
    const without = applied(before, { put: [{ json: schema('post', [field('int', 'y')]) }] }).snapshot;
    const again = applied(without, {
      put: [{ json: schema('post', [field('int', 'x'), field('int', 'y')]) }],
    }).snapshot;
    expect(idOf(again, 'post', 'x')).not.toBe(idOf(before, 'post', 'x'));
    expect(idOf(again, 'post', 'y')).toBe(idOf(before, 'post', 'y'));
  });

  test('of system schemas are the same everywhere', () => {
    expect(initialSnapshot(SYSTEM).schemas['user']?.id).toBe(before.schemas['user']?.id);
  });

  test('are UUIDs derived from their seed', () => {
    const id = seededIds('seed')('schema:post');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(seededIds('seed')('schema:post')).toBe(id);
    expect(seededIds('other')('schema:post')).not.toBe(id);
  });
});

describe('renames', () => {
  const before = snapshotOf(blog());

  test('are followed by schemas that were not submitted', () => {
    const json = {
      ...schema('label', [
        relation('articles', 'post', 'tags', 'm2m'),
        relation('parent', 'label', 'children', 'm2o'),
        relation('children', 'label', 'parent', 'o2m', owner),
      ]),
      renames: { schema: 'tag', fields: { posts: 'articles' } },
    };
    const { snapshot, plan } = applied(before, { put: [{ json }] });
    const tags = snapshot.schemas['post']?.definition.fields.find(({ name }) => name === 'tags');
    expect(tags?.relation).toMatchObject({ schema: 'label', field: 'articles' });
    expect(plan.losesData).toBe(false);
  });

  test('have no effect once applied', () => {
    const json = { ...schema('page'), renames: { schema: 'post' } };
    const first = applied(snapshotOf(schema('post')), { put: [{ json }] }).snapshot;
    expect(applied(first, { put: [{ json }] }).snapshot).toBe(first);
  });

  test('of unknown names are errors, except in files', () => {
    const json = { ...schema('page'), renames: { schema: 'pots', fields: { titel: 'title' } } };
    expect(summary(faultsOf(json, before))).toEqual([
      'field.not_found /renames/fields/titel',
      'builder.schema.not_found /renames/schema',
    ]);
    expect(summary(faultsOf(json, before, { ignoreStaleRenames: true }))).toEqual([]);
  });

  test('are ordered so that no name is used twice', () => {
    const renames = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'x', to: 'y' },
      { from: 'y', to: 'x' },
    ];
    const names = new Set(['a', 'b', 'x', 'y']);
    for (const { from, to } of orderRenames(renames)) {
      expect(names.has(from) && !names.has(to)).toBe(true);
      names.delete(from);
      names.add(to);
    }
    expect([...names].sort()).toEqual(['b', 'c', 'x', 'y']);
  });
});

describe('linking again', () => {
  test('reuses every schema that cannot have changed', () => {
    const before = snapshotOf([...blog(), schema('island')]);
    const { snapshot } = applied(before, { put: [{ json: schema('island', [field('int', 'x')]) }] });
    for (const name of Object.keys(before.schemas)) {
      if (name !== 'island') expect(snapshot.schemas[name]).toBe(before.schemas[name]);
    }
  });

  test('relinks the neighbours of a changed schema', () => {
    const before = snapshotOf(blog());
    const author = { ...blog()[0], namespace: 'writers' };
    const { snapshot } = applied(before, { put: [{ json: author }] });
    expect(foreignKey(snapshot, 'post', 'author_id')?.targetTable).toBe('writers');
    expect(snapshot.schemas['tag']).toBe(before.schemas['tag']);
  });
});
