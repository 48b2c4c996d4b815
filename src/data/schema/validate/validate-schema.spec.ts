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
import type { JsonValue } from '../../../kernel/schema-definition.types.js';
import { valueMismatch } from './check-value.js';

const post = (...fields: unknown[]) => schema('post', fields);
const errors = (json: unknown) => summary(faultsOf(json));

describe('a submission with several errors', () => {
  test('reports all of them, in document order', () => {
    const json = {
      namespace: '1',
      label_field: 'titel',
      lable: 'x',
      fields: [
        { type: 'string', name: 'title', size: 'x', defualt: 1 },
        { name: 'status' },
        { type: 'enum', name: 'kind' },
        { type: 'strin', name: 'other' },
        { type: ['x'], name: 'odd' },
        { type: 'relation', name: 'author', relation: { type: 'o2x' } },
        { type: 'int' },
        'nonsense',
      ],
      db: { indexes: [{ columns: ['titel', 'title', 'title', 'status'] }] },
    };
    expect(errors(json)).toEqual([
      'schema.name.required /name',
      'schema.label_field.not_found /label_field',
      'schema.namespace.invalid /namespace',
      'field.property.invalid /fields/0/size',
      'field.property.unknown /fields/0/defualt',
      'field.type.missing /fields/1/type',
      'field.enum.required /fields/2/enums',
      'field.type.invalid /fields/3/type',
      'field.type.parse_error /fields/4/type',
      'field.relation.schema.required /fields/5/relation/schema',
      'field.relation.type.required /fields/5/relation/type',
      'field.relation.field.required /fields/5/relation/field',
      'field.name.required /fields/6/name',
      'field.property.invalid /fields/7',
      'schema.index.column.not_found /db/indexes/0/columns/0',
      'schema.index.column.duplicate /db/indexes/0/columns/2',
      'schema.property.unknown /lable',
    ]);
  });

  test('an empty object lacks exactly name, label field and namespace', () => {
    expect(errors({})).toEqual([
      'schema.name.required /name',
      'schema.label_field.required /label_field',
      'schema.namespace.required /namespace',
    ]);
  });

  test('reports errors of fields, relations and several schemas together', () => {
    const json = {
      schemas: [
        post(field('json', 'x', { unique: true }), relation('tag', 'tga', 'posts', 'o2m')),
        schema('tag', [relation('posts', 'post', 'tag', 'o2m', { owner: true })]),
        schema('tag', [], { namespace: 'others' }),
      ],
    };
    expect(errors(json)).toEqual([
      'field.unique.not_allowed /schemas/0/fields/1/unique',
      'relation.target.not_found /schemas/0/fields/2/relation/schema',
      'relation.back_ref.missing /schemas/1/fields/1/relation/field',
      'schema.name.duplicate /schemas/2/name',
    ]);
  });

  test('a wrong JSON type is not also reported as missing', () => {
    expect(errors({ name: 7, namespace: [], label_field: {}, fields: [] })).toEqual([
      'schema.property.invalid /name',
      'schema.property.invalid /label_field',
      'schema.property.invalid /namespace',
    ]);
  });

  test('the error of an unnamed field has its index, and that of a named one does not', () => {
    const [named, nameless] = faultsOf(post({ name: 'x' }, {}));
    expect(named).toMatchObject({ field: 'x' });
    expect(named).not.toHaveProperty('index');
    expect(nameless).toMatchObject({ code: 'field.name.required', index: 2 });
  });
});

describe('accepted definitions', () => {
  test.each([
    ['boolean', 'bool'],
    ['integer', 'int'],
    ['number', 'float64'],
    ['float', 'float64'],
    ['double', 'float64'],
    ['datetime', 'time'],
    ['timestamp', 'time'],
    ['date', 'time'],
    ['varchar', 'string'],
    ['longtext', 'text'],
    ['object', 'json'],
    ['array', 'json'],
  ])('the type %s, returned as %s', (alias, type) => {
    const { definition } = snapshotOf(post(field(alias, 'x'))).schemas['post'] ?? {};
    expect(definition?.fields[1]).toEqual({ type, name: 'x' });
  });

  test('the relation type m2o, returned as o2m', () => {
    const { definition } = snapshotOf(blog()).schemas['post'] ?? {};
    expect(definition?.fields.find(({ name }) => name === 'author')?.relation?.type).toBe('o2m');
  });

  test('null for missing members, and false flags', () => {
    const json = {
      ...post(field('string', 'x', { label: null, unique: false, enums: [], size: 5 })),
      primary_field: null,
    };
    expect(snapshotOf(json).schemas['post']?.definition.fields[1]).toEqual({ type: 'string', name: 'x', size: 5 });
  });

  test('a definition as it is returned', () => {
    const snapshot = snapshotOf(blog());
    const json = Object.values(snapshot.schemas).map(({ definition }) => definition);
    expect(applied(snapshot, { put: [{ json }] }).snapshot).toBe(snapshot);
  });

  test.each(['title', 'id'])('the label field %s', (label_field) => {
    expect(errors({ ...post(), label_field })).toEqual([]);
  });

  test('a declared id and declared timestamps instead of the automatic ones', () => {
    const fields = [field('int64', 'id'), field('string', 'title'), field('time', 'created_at', { label: 'Made' })];
    const { fields: linked } = snapshotOf({ ...post(), fields }).schemas['post'] ?? {};
    expect(linked?.['id']).toMatchObject({ type: 'int64', generated: 'increment' });
    expect(linked?.['created_at']).toMatchObject({ origin: 'declared', generated: 'created_at', label: 'Made' });
    expect(linked?.['updated_at']).toMatchObject({ origin: 'automatic' });
  });

  test('a custom primary field, then without id', () => {
    const json = { ...post(field('string', 'code')), primary_field: 'code' };
    expect(Object.keys(snapshotOf(json).schemas['post']?.fields ?? {})).not.toContain('id');
  });
});

describe('names', () => {
  test.each(['ctid', 'xmin', 'constructor', '__proto__', 'x"y', 'x;--', 'tïtle', 'a b', '', '９'])(
    'a field cannot be called %j',
    (name) => {
      expect(errors(post(field('string', name)))).toHaveLength(1);
    },
  );

  test.each(['order', 'user', 'group', 'select', 'SELECT', 'table', 'in', 'null', 'end'])(
    'an SQL keyword is allowed for a field, a schema and a namespace: %s',
    (name) => {
      expect(errors(post(field('string', name)))).toEqual([]);
      // A schema and a namespace of this name exist.
      if (name === 'user') return;
      expect(errors({ ...post(), name, namespace: `${name}s` })).toEqual([]);
      expect(errors({ ...post(), namespace: name })).toEqual([]);
    },
  );

  test('a relation may have a keyword as its name', () => {
    const json = [
      post(relation('user', 'user', 'posts', 'o2m')),
      { name: 'user', fields: [relation('posts', 'post', 'user', 'o2m', { owner: true })] },
    ];
    expect(snapshotOf(json).schemas['post']?.table.columns.map(({ name }) => name)).toContain('user_id');
  });

  test('are limited to 63 bytes, also for derived columns', () => {
    expect(errors(post(field('string', 'a'.repeat(63))))).toEqual([]);
    expect(errors(post(field('string', 'a'.repeat(64))))).toEqual(['field.name.too_long /fields/1/name']);
    const long = 'a'.repeat(61);
    const target = schema('tag', [relation('posts', 'post', long, 'o2m', { owner: true })]);
    expect(errors([post(relation(long, 'tag', 'posts', 'o2m')), target])).toEqual([
      'relation.column.invalid /0/fields/1/relation/source_column',
    ]);
  });

  test('a created_at of another type is rejected unless timestamps are off', () => {
    const json = post(field('string', 'created_at'));
    expect(errors(json)).toEqual(['field.name.reserved /fields/1/name']);
    expect(errors({ ...json, disable_timestamp: true })).toEqual([]);
  });
});

describe('system schemas', () => {
  test('can be extended without repeating their fields', () => {
    const { user } = snapshotOf({ name: 'user', fields: [field('string', 'nickname', { optional: true })] }).schemas;
    expect(user?.fields['nickname']).toMatchObject({ origin: 'declared' });
    expect(user?.fields['email']).toMatchObject({ origin: 'system' });
    expect(user?.table).toMatchObject({ name: 'users', managed: false });
  });

  test('keep their fields when a later definition omits them', () => {
    const first = snapshotOf({ name: 'role', fields: [field('int', 'level', { default: 0 })] });
    const { snapshot, plan } = applied(first, { put: [{ json: { name: 'role', fields: [] } }] });
    expect(plan.steps.map(({ kind }) => kind)).toContain('archive_column');
    expect(Object.keys(snapshot.schemas['role']?.fields ?? {})).toEqual(
      Object.keys(initialSnapshot(SYSTEM).schemas['role']?.fields ?? {}),
    );
  });

  test.each([
    ['an own field as another type', field('text', 'username')],
    ['an own field made required', field('string', 'username', { size: 100 })],
    ['the hidden password', field('string', 'password')],
  ])('cannot be narrowed: %s', (_, changed) => {
    expect(errors({ name: 'user', fields: [changed] })).toEqual(['field.system.changed /fields/0']);
  });

  test.each([
    ['password_hash', 'password'],
    ['email_key', 'system'],
  ])('have columns that no field can use: %s', (name, other) => {
    const [fault] = faultsOf({ name: 'user', fields: [field('string', name, { optional: true })] });
    expect(fault).toMatchObject({ code: 'field.column.duplicate', message: expect.stringContaining(`"${other}"`) });
  });

  test('return no hidden field in their definition', () => {
    const { user } = initialSnapshot(SYSTEM).schemas;
    expect(JSON.stringify(user?.definition)).not.toMatch(/password|_key/);
    expect(user?.fields['password']).toMatchObject({ hidden: true, column: 'password_hash' });
  });

  test('have a fixed label field', () => {
    const fixed = Object.values(initialSnapshot(SYSTEM).schemas).map(({ name, labelField }) => [name, labelField]);
    expect(Object.fromEntries(fixed)).toEqual({
      user: 'username',
      role: 'name',
      permission: 'resource',
      file: 'name',
      session: 'id',
      view: 'name',
    });
  });
});

describe('defaults', () => {
  const cases: [string, JsonValue, boolean][] = [
    ['bool', 'true', false],
    ['time', '2024-02-29T10:00:00Z', true],
    ['time', '2023-02-29', false],
    ['time', '0000-01-01', false],
    ['time', 'now', true],
    ['uuid', 'x', false],
    ['bytes', 'AQID', true],
    ['bytes', 'A', false],
    ['string', 'x'.repeat(11), false],
    ['string', '𝒳'.repeat(10), true],
    ['text', 'a\u0000b', false],
    ['text', '\ud800', false],
    ['json', { a: ['\u0000'] }, false],
    ['json', { '\u0000': 1 }, false],
    ['json', [1, null, { x: 'y' }], true],
    ['int', 2 ** 53, false],
    ['int', 1.5, false],
    ['int64', '9223372036854775807', true],
    ['int64', '9223372036854775808', false],
    ['uint64', '18446744073709551615', true],
    ['uint', -1, false],
    ['float32', 1e39, false],
    ['float64', '1', false],
  ];
  test.each(cases)('%s %j is valid: %s', (type, value, fits) => {
    const size = type === 'string' ? 10 : undefined;
    expect(valueMismatch(value, { type: type as 'bool', size }) === undefined).toBe(fits);
  });

  test.each(['default', 'renderer'])('%s has at most 64 KiB of JSON', (member) => {
    const withText = (length: number) => post(field('json', 'x', { [member]: 'x'.repeat(length - 2) }));
    expect(errors(withText(65_536))).toEqual([]);
    expect(errors(withText(65_537))).toEqual([`field.limit.exceeded /fields/1/${member}`]);
  });

  test('an enum default must be one of the values', () => {
    const enums = [{ value: 'a' }];
    expect(errors(post(field('enum', 'x', { enums, default: 'a' })))).toEqual([]);
    expect(errors(post(field('enum', 'x', { enums, default: 'b' })))).toEqual([
      'field.default.invalid /fields/1/default',
    ]);
  });
});
