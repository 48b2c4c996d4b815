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

const owner = { owner: true };
const join = (snapshot: SchemaSnapshot, schemaName: string, name: string) => {
  const linked = snapshot.schemas[schemaName]?.fields[name];
  return linked?.kind === 'relation' ? linked.join : undefined;
};
const foreignKey = (snapshot: SchemaSnapshot, schemaName: string, column: string) => {
  return snapshot.schemas[schemaName]?.table.foreignKeys.find((key) => key.column === column);
};

describe('relations', () => {
  const snapshot = snapshotOf(blog());

  test('o2m: the non-owning side stores the foreign key', () => {
    expect(join(snapshot, 'post', 'author')).toEqual({
      kind: 'direct',
      holder: 'own',
      ownColumn: 'author_id',
      targetTable: 'authors',
      targetColumn: 'id',
    });
    expect(join(snapshot, 'author', 'posts')).toEqual({
      kind: 'direct',
      holder: 'target',
      ownColumn: 'id',
      targetTable: 'posts',
      targetColumn: 'author_id',
    });
    expect(snapshot.schemas['author']?.fields['posts']).toMatchObject({ many: true, backField: 'author' });
    expect(snapshot.schemas['post']?.fields['author']).toMatchObject({ many: false, backField: 'posts' });
  });

  test('o2o: the foreign key is unique among active records', () => {
    const { table } = snapshot.schemas['profile'] ?? {};
    expect(table?.indexes).toContainEqual(
      expect.objectContaining({ columns: ['author_id'], unique: true, live: true }),
    );
    expect(snapshot.schemas['author']?.fields['profile']).toMatchObject({ many: false });
  });

  test('m2m: the owner gives the junction its name, and each side finds its own column', () => {
    expect(join(snapshot, 'post', 'tags')).toMatchObject({
      junctionTable: 'posts_tags',
      junctionOwnColumn: 'post_id',
      junctionTargetColumn: 'tag_id',
    });
    expect(join(snapshot, 'tag', 'posts')).toMatchObject({
      junctionTable: 'posts_tags',
      junctionOwnColumn: 'tag_id',
      junctionTargetColumn: 'post_id',
    });
    const [junction] = snapshot.schemas['post']?.junctions ?? [];
    expect(junction?.name).toBe('posts_tags');
    expect([...(junction?.primaryKey.columns ?? [])].sort()).toEqual(['post_id', 'tag_id']);
    expect(junction?.foreignKeys.map(({ onDelete }) => onDelete)).toEqual(['cascade', 'cascade']);
  });

  test('a schema can refer to itself, as a tree and many-to-many', () => {
    expect(join(snapshot, 'tag', 'parent')).toMatchObject({ ownColumn: 'parent_id', targetTable: 'tags' });
    const people = [
      schema('person', [
        relation('follows', 'person', 'followers', 'm2m', owner),
        relation('followers', 'person', 'follows', 'm2m'),
      ]),
    ];
    expect(join(snapshotOf(people), 'person', 'follows')).toMatchObject({
      junctionTable: 'persons_follows',
      junctionOwnColumn: 'person_id',
      junctionTargetColumn: 'follows_id',
    });
  });

  test('two schemas can have several relations with separate columns and junctions', () => {
    const several = snapshotOf([
      schema('post', [
        relation('author', 'person', 'written', 'o2m', { source_column: 'writer' }),
        relation('editor', 'person', 'edited', 'o2m'),
        relation('fans', 'person', 'liked', 'm2m', {
          ...owner,
          junction_table: 'likes',
          source_column: 'p',
          target_column: 'f',
        }),
        relation('readers', 'person', 'read', 'm2m'),
      ]),
      schema('person', [
        relation('written', 'post', 'author', 'o2m', owner),
        relation('edited', 'post', 'editor', 'o2m', owner),
        relation('liked', 'post', 'fans', 'm2m', { source_column: 'f' }),
        relation('read', 'post', 'readers', 'm2m', owner),
      ]),
    ]);
    expect(join(several, 'post', 'author')).toMatchObject({ ownColumn: 'writer' });
    expect(join(several, 'person', 'written')).toMatchObject({ targetColumn: 'writer' });
    expect(join(several, 'post', 'fans')).toMatchObject({ junctionTable: 'likes', junctionOwnColumn: 'p' });
    expect(join(several, 'person', 'liked')).toMatchObject({ junctionTable: 'likes', junctionOwnColumn: 'f' });
    expect(join(several, 'post', 'readers')).toMatchObject({
      junctionTable: 'persons_read',
      junctionOwnColumn: 'post_id',
    });
  });

  test('a foreign key can refer to a unique field, which then applies to deleted records too', () => {
    const linked = snapshotOf([
      schema('country', [
        field('string', 'code', { size: 2, unique: true }),
        relation('towns', 'town', 'country', 'o2m', owner),
      ]),
      schema('town', [relation('country', 'country', 'towns', 'o2m', { target_column: 'code' })]),
    ]);
    expect(foreignKey(linked, 'town', 'country_id')).toMatchObject({ targetTable: 'countrys', targetColumn: 'code' });
    expect(linked.schemas['town']?.table.columns).toContainEqual(
      expect.objectContaining({ name: 'country_id', sqlType: 'varchar(2)' }),
    );
    expect(linked.schemas['country']?.table.indexes).toContainEqual(
      expect.objectContaining({ unique: true, live: false }),
    );
  });

  test('an optional reference is emptied when its target is deleted, a required one is kept', () => {
    const target = schema('tag', [relation('posts', 'post', 'tag', 'o2m', owner)]);
    const onDelete = (more: object) => {
      const side = { type: 'relation', name: 'tag', relation: { schema: 'tag', field: 'posts', type: 'o2m', ...more } };
      return foreignKey(snapshotOf([target, schema('post', [side])]), 'post', 'tag_id')?.onDelete;
    };
    expect(onDelete({ optional: true })).toBe('set_null');
    expect(onDelete({})).toBe('restrict');
    expect(onDelete({ on_delete: 'CASCADE' })).toBe('cascade');
  });
});

describe('file fields', () => {
  const snapshot = snapshotOf(blog());

  test('create their back reference on file', () => {
    expect(snapshot.schemas['file']?.fields['post_cover']).toMatchObject({
      origin: 'generated',
      many: true,
      target: 'post',
    });
    expect(snapshot.schemas['file']?.fields['post_images']).toMatchObject({ origin: 'generated', relation: 'm2m' });
    expect(snapshot.schemas['file']?.definition.fields.map(({ name }) => name)).not.toContain('post_cover');
  });

  test('refer to the schema of the file owner, with any name', () => {
    const { file, ...others } = Object.fromEntries(SYSTEM);
    const asset = { ...file!, definition: { ...file!.definition, name: 'asset', namespace: 'assets' } };
    const system = new Map(Object.entries({ ...others, asset }));
    const cover = schema('post', [field('file', 'cover', { optional: true })]);
    const { snapshot: linked } = applied(initialSnapshot(system), { put: [{ json: cover }] });
    expect(linked.schemas['asset']?.fields['post_cover']).toMatchObject({ origin: 'generated', target: 'post' });
    expect(join(linked, 'post', 'cover')).toMatchObject({ targetTable: 'assets' });
  });

  test('store one file in a foreign key and several in a junction', () => {
    expect(join(snapshot, 'post', 'cover')).toMatchObject({
      holder: 'own',
      ownColumn: 'cover_id',
      targetTable: 'files',
    });
    expect(join(snapshot, 'post', 'images')).toMatchObject({ kind: 'junction', junctionTable: 'posts_images' });
  });

  test('lose the back reference with the field', () => {
    const { snapshot: after } = applied(snapshot, { remove: ['post', 'tag', 'author', 'profile'] });
    expect(after.schemas['file']?.fields).not.toHaveProperty('post_cover');
  });
});

describe('missing back references', () => {
  const json = schema('post', [
    relation('author', 'user', 'posts', 'm2o'),
    relation('tags', 'tag', 'posts', 'm2m', owner),
  ]);
  const current = snapshotOf(schema('tag'));

  test('are errors that name the field to add', () => {
    const tag = schema('tag', [relation('items', 'post', 'tags', 'm2m')]);
    const [, missing] = faultsOf([json, tag], current);
    expect(missing).toMatchObject({ code: 'relation.back_ref.missing', field: 'tags', suggestion: 'items' });
  });

  test('are created on request, and kept', () => {
    const { snapshot } = applied(current, { put: [{ json }], backRefs: 'create' });
    expect(snapshot.schemas['user']?.definition.fields.at(-1)).toEqual({
      type: 'relation',
      name: 'posts',
      relation: { schema: 'post', field: 'author', type: 'o2m', owner: true },
    });
    expect(applied(snapshot, { put: [{ json }] }).snapshot).toBe(snapshot);
  });

  test('store the foreign key as an optional one', () => {
    const owning = schema('post', [relation('comments', 'comment', 'post', 'o2m', owner)]);
    const { snapshot } = applied(snapshotOf(schema('comment')), { put: [{ json: owning }], backRefs: 'create' });
    expect(snapshot.schemas['comment']?.table.columns).toContainEqual(
      expect.objectContaining({ name: 'post_id', nullable: true }),
    );
  });

  test('are not created if the name is taken', () => {
    const conflicting = applied(current, { put: [{ json: schema('tag', [field('int', 'posts')]) }] }).snapshot;
    expect(summary(faultsOf(json, conflicting, { backRefs: 'create' }))).toEqual([
      'relation.back_ref.missing /fields/2/relation/field',
    ]);
  });
});

describe('an error in a schema that was not submitted', () => {
  test('a missing back reference breaks the other side', () => {
    const faults = faultsOf(schema('author'), snapshotOf(blog()));
    expect(faults.map(({ code, schema: name, field: at }) => [code, name, at])).toEqual([
      ['relation.back_ref.missing', 'post', 'author'],
      ['relation.back_ref.missing', 'profile', 'author'],
    ]);
    for (const fault of faults) expect(fault).not.toHaveProperty('path');
  });
});

describe('of two schemas with a conflict', () => {
  const cover = (name: string) => schema(name, [field('file', 'cover', { optional: true })]);
  const linked = (name: string, back: string, more: Record<string, unknown> = {}) => [
    relation('tags', 'tag', back, 'm2m', { owner: true, ...more }),
  ];
  const tag = (...backs: string[]) =>
    schema(
      'tag',
      backs.map((back) => relation(back, back.slice(0, -1), 'tags', 'm2m')),
    );
  const stored = snapshotOf([cover('blog_post'), schema('post', linked('post', 'posts')), tag('posts')]);

  test.each<[string, unknown, string[]]>([
    ['a namespace', schema('other', [], { namespace: 'POSTS' }), ['schema.namespace.duplicate /namespace']],
    ['a namespace as name', schema('posts', []), ['schema.name.duplicate /name']],
    ['a name as namespace', schema('other', [], { namespace: 'post' }), ['schema.namespace.duplicate /namespace']],
    [
      'the back reference of a file field',
      schema('blog', [field('file', 'post_cover', { optional: true })]),
      ['relation.back_ref.taken /fields/1'],
    ],
    [
      'the back reference of a file field, as a field of file',
      { name: 'file', fields: [field('string', 'blog_post_cover', { optional: true })] },
      ['relation.back_ref.taken /fields/0'],
    ],
    [
      'a junction, as namespace',
      schema('x', [], { namespace: 'posts_tags' }),
      ['relation.junction_table.taken /namespace'],
    ],
    [
      'a junction',
      [schema('page', linked('page', 'pages', { junction_table: 'posts_tags' })), tag('posts', 'pages')],
      ['relation.junction_table.taken /0/fields/1/relation/junction_table'],
    ],
    [
      'a namespace, as junction',
      [schema('page', linked('page', 'pages', { junction_table: 'blog_posts' })), tag('posts', 'pages')],
      ['relation.junction_table.taken /0/fields/1/relation/junction_table'],
    ],
  ])('the submitted one is reported: %s', (_, json, faults) => {
    expect(summary(faultsOf(json, stored))).toEqual(faults);
  });
});
