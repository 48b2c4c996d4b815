import { moved } from '../fields/moved.js';
import type { Permissions, SchemaDefinition } from '../../api/openapi.js';
import fc from 'fast-check';
import { EVERYTHING, readView, sortedBy, writeSaved, writeSearch } from './list-address.js';
import { countPath, exportPath, listPath, recordPaths } from './list-request.js';
import {
  batchesOf,
  conflictsOf,
  countOf,
  isSame,
  type Pending,
  rebased,
  Reference,
  withChange,
  writtenValues,
} from './record-changes.js';
import { defaultColumns, recordSchema } from './record-schema.js';
import { definitionsIn } from './schemas-of-document.js';

const DEFINITION = {
  name: 'post',
  namespace: 'posts',
  label_field: 'title',
  fields: [
    { type: 'string', name: 'title', size: 200, searchable: true },
    { type: 'text', name: 'body' },
    { type: 'enum', name: 'status', enums: [{ value: 'draft', label: 'Draft' }] },
    { type: 'string', name: 'secret' },
    { type: 'relation', name: 'author', relation: { schema: 'author', field: 'posts', type: 'o2m' } },
    { type: 'relation', name: 'tags', relation: { schema: 'tag', field: 'posts', type: 'm2m', owner: true } },
    { type: 'file', name: 'cover', optional: true },
  ],
} as unknown as SchemaDefinition;
const FIELDS = ['id', 'title', 'body', 'status', 'author', 'tags', 'cover', 'created_at', 'updated_at', 'deleted_at'];
const permissions = {
  root: false,
  roles: [],
  resources: [],
  content: { post: { list: { value: 'allow', fields: FIELDS } } },
} as unknown as Permissions;
const schema = recordSchema(DEFINITION, permissions);
const labels = new Map([
  ['author', { key: 'id', label: 'name' }],
  ['tag', { key: 'id', label: 'name' }],
]);

describe('export of a list', () => {
  const view = readView({ filter: '{"status":"draft"}', sort: '-title' });
  const exported = (columns: readonly string[], hasAllFields: boolean): Record<string, string> => {
    const path = exportPath(schema, view, 'csv', { columns, hasAllFields }, labels);
    expect(path).toMatch(/^\/api\/content\/post\/export\?/);
    return Object.fromEntries(new URLSearchParams(path.slice(path.indexOf('?'))));
  };

  it('has the filter and order of the list, and the keys of relations', () => {
    expect(exported(['title', 'author'], false)).toEqual({
      format: 'csv',
      select: 'id,title,author.id',
      filter: '{"status":"draft"}',
      sort: '-title',
    });
  });

  it('has all readable fields, and to-many relations only if they are columns', () => {
    expect(exported(['title'], true)['select']).toBe('id,title,body,status,author.id,created_at,updated_at,deleted_at');
    expect(exported(['tags'], true)['select']).toContain('tags.id');
  });
});

describe('recordSchema', () => {
  it('contains the readable fields and the implied ones, and no others', () => {
    expect(schema.fields.map(({ name }) => name)).toEqual(FIELDS);
    expect(schema).toMatchObject({ key: 'id', labelField: 'title', searchable: true, softDelete: true });
    expect(schema.fields.find(({ name }) => name === 'tags')).toMatchObject({ many: true, target: 'tag' });
    expect(schema.fields.find(({ name }) => name === 'author')).toMatchObject({ many: false, sortable: false });
    expect(schema.fields.filter(({ generated }) => generated).map(({ name }) => name)).toEqual([
      'id',
      'created_at',
      'updated_at',
      'deleted_at',
    ]);
  });

  it('labels fields of roles, and prefers labels of the schema', () => {
    const fields = [
      { type: 'int32', name: 'mfa_grace_days' },
      { type: 'int64', name: 'file_quota', label: 'Room' },
      { type: 'string', name: 'home_page' },
    ];
    const labelsOf = (name: string): string[] => {
      const own = { content: { [name]: { list: { value: 'allow', fields: fields.map((item) => item.name) } } } };
      const definition = { name, namespace: `${name}s`, fields } as unknown as SchemaDefinition;
      const names = { ofRoles: { mfa_grace_days: 'Days without', file_quota: 'File quota' } };
      return recordSchema(definition, own as unknown as Permissions, names).fields.map(({ label }) => label);
    };
    expect(labelsOf('role')).toEqual(['Days without', 'Room', 'Home page']);
    expect(labelsOf('post')).toEqual(['Mfa grace days', 'Room', 'Home page']);
  });

  it('has fixed values for the factor rule of a role, and confirms root', () => {
    const fields = [
      { type: 'string', name: 'mfa', default: 'optional' },
      { type: 'bool', name: 'root', default: false },
    ];
    const fieldsOf = (name: string) => {
      const own = { content: { [name]: { list: { value: 'allow', fields: ['mfa', 'root'] } } } };
      const definition = { name, namespace: `${name}s`, fields } as unknown as SchemaDefinition;
      const names = { factorRules: { off: 'Not available', required: 'Required' } };
      return recordSchema(definition, own as unknown as Permissions, names).fields;
    };
    const enums = [
      { value: 'off', label: 'Not available' },
      { value: 'optional', label: 'optional' },
      { value: 'required', label: 'Required' },
    ];
    expect(fieldsOf('role')).toMatchObject([
      { type: 'enum', enums, confirmed: false },
      { type: 'bool', confirmed: true },
    ]);
    expect(fieldsOf('post')).toMatchObject([
      { type: 'string', enums: [], confirmed: false },
      { type: 'bool', confirmed: false },
    ]);
  });

  it('labels fields from the OpenAPI document if definitions are not readable', () => {
    const properties = {
      id: { type: 'string', format: 'uuid', readOnly: true },
      title: { type: 'string', description: 'Made by. Really' },
      secret: { type: 'string', description: 'Made of. Computed on read.' },
      body: { type: 'string', description: 'Computed on read.' },
      author: { $ref: '#/components/schemas/Author', description: 'Returned if it is selected.' },
      tags: { items: { $ref: '#/components/schemas/Author' }, description: 'Kinds. Returned if it is selected.' },
      author_id: { type: 'string', description: 'The key of `author`.' },
      created_at: { type: 'string', format: 'date-time', readOnly: true },
    };
    const described = { post: 'A record of `post`.', author: 'A record of `author`.' };
    const [definition] = definitionsIn({
      components: {
        schemas: { Post: { description: described.post, properties }, Author: { description: described.author } },
      },
    });
    const own = { content: { post: { list: { value: 'allow', fields: Object.keys(properties) } } } };
    const { fields } = recordSchema(definition as SchemaDefinition, own as unknown as Permissions);
    expect(Object.fromEntries(fields.map(({ name, label }) => [name, label]))).toEqual({
      id: 'Id',
      title: 'Made by. Really',
      secret: 'Made of',
      body: 'Body',
      author: 'Author',
      tags: 'Kinds',
      created_at: 'Created at',
    });
  });

  it('suggests the label field first, and no long texts', () => {
    expect(defaultColumns(schema)).toEqual(['title', 'status', 'author', 'cover', 'created_at', 'updated_at']);
  });
});

describe('URL of a list', () => {
  const name = fc.stringMatching(/^[a-z_]{1,8}$/);
  const views = fc.record({
    filter: fc.dictionary(name, fc.jsonValue({ maxDepth: 2 })).map((item) => JSON.parse(JSON.stringify(item)) as never),
    sort: fc.uniqueArray(
      fc.tuple(fc.constantFrom('', '-'), name).map((parts) => parts.join('')),
      { maxLength: 3 },
    ),
    columns: fc.option(fc.uniqueArray(name, { minLength: 1, maxLength: 4 })),
    deleted: fc.boolean(),
  });

  it('round-trips the view, and saved views', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(readView(Object.fromEntries(new URLSearchParams({ ...writeSearch(view) })))).toEqual(view);
        expect(readView(JSON.parse(JSON.stringify(writeSaved(view))))).toEqual(view);
      }),
    );
  });

  it('omits defaults, and ignores invalid values', () => {
    expect(writeSearch(EVERYTHING)).toEqual({});
    for (const search of [null, 1, [], { filter: '{', sort: 1, columns: ',,', deleted: 'x' }, { filter: '[1]' }])
      expect(readView(search)).toEqual(EVERYTHING);
  });

  it('toggles the sort of a column: ascending, descending, none', () => {
    expect(sortedBy([], 'a', false)).toEqual(['a']);
    expect(sortedBy(['a'], 'a', false)).toEqual(['-a']);
    expect(sortedBy(['-a'], 'a', false)).toEqual([]);
    expect(sortedBy(['b'], 'a', false)).toEqual(['a']);
    expect(sortedBy(['b', 'a'], 'a', true)).toEqual(['b', '-a']);
    expect(sortedBy(['-b', '-a'], 'b', true)).toEqual(['-a']);
  });
});

describe('request of a list', () => {
  const view = { filter: { status: 'draft' }, sort: ['-title'], columns: null, deleted: false };
  const queryOf = (path: string): Record<string, string> =>
    Object.fromEntries(new URL(path, 'http://localhost').searchParams);

  it('selects relation labels, uses a cursor, and does not count', () => {
    const query = queryOf(listPath(schema, view, ['title', 'author', 'tags'], labels, ''));
    expect(query).toEqual({
      select: 'id,title,author.id,author.name,tags.id,tags.name',
      relations: '{"tags":{"limit":3}}',
      filter: '{"status":"draft"}',
      sort: '-title',
      limit: '100',
      cursor: '',
    });
  });

  it('never selects hidden long columns or unreadable fields', () => {
    const { select } = queryOf(listPath(schema, view, defaultColumns(schema), labels, ''));
    expect(select).not.toMatch(/body|secret|tags|cover/);
  });

  it('counts on request, with or without a limit', () => {
    expect(queryOf(countPath(schema, view, 'capped'))).toMatchObject({ count: 'capped', limit: '1', select: 'id' });
    expect(queryOf(countPath(schema, { ...view, deleted: true }, 'exact'))).toMatchObject({
      count: 'exact',
      with_deleted: 'true',
      filter: '{"$and":[{"status":"draft"},{"deleted_at":{"$null":false}}]}',
    });
  });

  it('selects the labels of all relations of a record', () => {
    const [path = '', ...others] = recordPaths(schema, 'a/b', labels);
    expect(queryOf(path)['select']).toContain('author.id,author.name,tags.id,tags.name');
    expect(path).toContain('/api/content/post/a%2Fb?');
    expect(others).toEqual([]);
  });

  it('is split if a record has more relations than the limit', () => {
    const author = schema.fields.find(({ name }) => name === 'author')!;
    const many = Array.from({ length: 45 }, (_, index) => ({ ...author, name: `author${index}` }));
    const paths = recordPaths({ ...schema, fields: [...schema.fields, ...many] }, '1', labels).map(
      (path) =>
        queryOf(path)
          ['select']?.split(',')
          .filter((name) => name.endsWith('.id')) ?? [],
    );
    expect(paths.map(({ length }) => length)).toEqual([20, 20, 7]);
    expect(new Set(paths.flat()).size).toBe(47);
  });
});

describe('pending changes', () => {
  const one = { id: '1', base: { title: 'old', views: 1, meta: { a: 1, b: 2 } }, tag: '"1"' };
  const changed = (...changes: readonly (readonly [string, unknown])[]): Pending =>
    changes.reduce<Pending>((pending, [field, value]) => withChange(pending, one, field, value), new Map());

  it('are dropped when a value is reset', () => {
    expect(countOf(changed(['title', 'new'], ['views', 2]))).toBe(2);
    expect(changed(['title', 'new'], ['title', 'old']).size).toBe(0);
    expect(changed(['meta', { b: 2, a: 1 }]).size).toBe(0);
  });

  it('become batches of 50 records with their ETags', () => {
    const many = Array.from({ length: 51 }, (_, i) => ({ id: String(i), base: { title: 'old' }, tag: `"${i}"` }));
    const pending = many.reduce<Pending>((all, record) => withChange(all, record, 'title', 'new'), new Map());
    const [first, second, ...rest] = batchesOf('post', pending);
    expect([first?.length, second?.length, rest.length]).toEqual([50, 1, 0]);
    expect(first?.[7]).toEqual({ op: 'update', schema: 'post', id: '7', data: { title: 'new' }, if_match: '"7"' });
  });

  it('keep the order of files', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'b', 'c']);
  });

  it('write relations as keys', () => {
    const ada = new Reference('id', 'a1', 'Ada');
    expect(writtenValues({ author: ada, tags: [ada], none: null, list: [1] })).toEqual({
      author: { id: 'a1' },
      tags: [{ id: 'a1' }],
      none: null,
      list: [1],
    });
    expect(isSame(ada, new Reference('id', 'a1', 'Ada L.'))).toBe(true);
  });

  it('detect conflicts per field: ours, theirs and base', () => {
    const record = changed(['title', 'mine'], ['views', 2]).get('1')!;
    const theirs = { title: 'theirs', views: 1, meta: { a: 9 } };
    expect(conflictsOf(record, theirs)).toEqual([{ field: 'title', base: 'old', ours: 'mine', theirs: 'theirs' }]);
    expect(conflictsOf(record, { ...theirs, title: 'mine' })).toEqual([]);
    expect(rebased(record, theirs, '"2"', new Set(['title']))).toEqual({
      id: '1',
      base: theirs,
      tag: '"2"',
      changes: { views: 2 },
    });
    expect(rebased(record, theirs, '"2"', new Set()).changes).toEqual({ title: 'mine', views: 2 });
  });
});
