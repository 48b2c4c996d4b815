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
import { reserveTables } from '../../../kernel/system-schema.js';
import { FaultList } from '../codes/fault-list.js';
import {
  SCHEMA_FAULT_CODES,
  type SchemaFaultCode,
  createFault,
  SchemaFaultError,
  type SchemaFault,
} from '../codes/schema-fault.js';
import { readSubmission } from '../definition/read-submission.js';
import { cloneKeyColumn, type LinkContext, buildJunction } from '../link/build-tables.js';
import { linkScope, checkedSchema, schemaSet } from '../link/schema-set.js';
import { relationSides, Side } from '../link/relation-sides.js';
import { restoreSnapshot } from '../snapshot/schema-snapshot.js';

// Reserves a table of the service, as its module does when it is loaded.
reserveTables(['user_roles']);

const LONG = 'a'.repeat(64);

const post = (...fields: unknown[]) => schema('post', fields);
const text = (more: Record<string, unknown>) => post(field('string', 'x', more));
const pair = (a: object, b: object, type = 'o2m') => [
  schema('post', [relation('tag', 'tag', 'posts', type, { ...a })]),
  schema('tag', [relation('posts', 'post', 'tag', type, { ...b })]),
];
const owner = { owner: true };
const ofAccounts = (a: object, b: object, type = 'o2m') => [
  schema('post', [relation('author', 'user', 'posts', type, { ...a })]),
  { name: 'user', fields: [relation('posts', 'post', 'author', type, { ...b })] },
];

function thrown(act: () => unknown): readonly SchemaFault[] {
  try {
    act();
  } catch (error) {
    if (error instanceof SchemaFaultError) return error.faults;
    throw error;
  }
  return [];
}

/** One case for each code. The type requires all of them. */
const CASES: Readonly<Record<SchemaFaultCode, () => readonly SchemaFault[]>> = {
  'schema.name.required': () => faultsOf({ ...post(), name: undefined }),
  'schema.label_field.required': () => faultsOf({ ...post(), label_field: '' }),
  'schema.namespace.required': () => faultsOf({ ...post(), namespace: null }),
  'schema.label_field.not_found': () => faultsOf({ ...post(), label_field: 'titel' }),
  'schema.label_field.system_schema': () => faultsOf({ name: 'role', label_field: 'description' }),
  'schema.primary_field.not_found': () => faultsOf({ ...post(), primary_field: 'cod' }),
  'schema.primary_field.required': () => faultsOf({ ...post(), primary_field: '' }),
  'schema.io.read_error': () => [createFault('schema.io.read_error', { cause: new Error('EACCES') })],
  'schema.init.unknown': () => thrown(() => restoreSnapshot({ format: 0 }, SYSTEM)),
  'schema.document.invalid': () => faultsOf('post'),
  'schema.property.invalid': () => faultsOf({ ...post(), fields: 'x' }),
  'schema.property.unknown': () => faultsOf({ ...post(), lable_field: 'title' }),
  'schema.name.invalid': () => faultsOf({ ...post(), name: 'po st' }),
  'schema.name.reserved': () => faultsOf({ ...post(), name: 'export' }),
  'schema.name.too_long': () => faultsOf({ ...post(), name: LONG }),
  'schema.name.duplicate': () => faultsOf([post(), { ...post(), namespace: 'others' }]),
  'schema.namespace.invalid': () => faultsOf({ ...post(), namespace: 'p"; DROP' }),
  'schema.namespace.reserved': () => faultsOf({ ...post(), namespace: 'pg_posts' }),
  'schema.namespace.too_long': () => faultsOf({ ...post(), namespace: LONG }),
  'schema.namespace.duplicate': () => faultsOf([post(), { ...schema('page'), namespace: 'Posts' }]),
  'schema.namespace.system_schema': () => faultsOf({ name: 'user', namespace: 'people' }),
  'schema.primary_field.invalid': () => faultsOf({ ...post(field('json', 'key')), primary_field: 'key' }),
  'schema.primary_field.system_schema': () => faultsOf({ name: 'user', primary_field: 'email' }),
  'schema.primary_field.changed': () => faultsOf({ ...post(), primary_field: 'title' }, snapshotOf(post())),
  'schema.disable_timestamp.system_schema': () => faultsOf({ name: 'user', disable_timestamp: true }),
  'schema.audit.invalid': () => faultsOf({ ...post(), audit: 'everything' }),
  'schema.audit.system_schema': () => faultsOf({ name: 'user', audit: 'values' }),
  'schema.index.columns.required': () => faultsOf({ ...post(), db: { indexes: [{}] } }),
  'schema.index.column.not_found': () => faultsOf({ ...post(), db: { indexes: [{ columns: ['titel'] }] } }),
  'schema.index.column.not_allowed': () =>
    faultsOf({ ...post(field('json', 'x')), db: { indexes: [{ columns: ['x'] }] } }),
  'schema.index.column.duplicate': () => faultsOf({ ...post(), db: { indexes: [{ columns: ['title', 'title'] }] } }),
  'schema.index.duplicate': () =>
    faultsOf({ ...post(), db: { indexes: [{ columns: ['title'] }, { columns: ['title'] }] } }),
  'schema.index.name.invalid': () => faultsOf({ ...post(), db: { indexes: [{ name: 'a b', columns: ['title'] }] } }),
  'schema.limit.exceeded': () => faultsOf(post(...Array.from({ length: 300 }, (_, at) => field('int', `f${at}`)))),
  'schema.rename.conflict': () => faultsOf({ ...post(), renames: { schema: 'user' } }),
  'schema.remove.system_schema': () => faultsOf([], undefined, { remove: ['user'] }),

  'field.name.required': () => faultsOf(post({ type: 'string' })),
  'field.type.invalid': () => faultsOf(post(field('strng', 'x'))),
  'field.type.missing': () => faultsOf(post({ name: 'x' })),
  'field.type.parse_error': () => faultsOf(post(field(7, 'x'))),
  'field.enum.required': () => faultsOf(post(field('enum', 'x', { enums: [] }))),
  'field.relation.required': () => faultsOf(post(field('relation', 'x'))),
  'field.relation.schema.required': () =>
    faultsOf(post(field('relation', 'x', { relation: { field: 'p', type: 'o2m' } }))),
  'field.relation.type.required': () => faultsOf([pair({}, owner, 'one')[0], pair({}, owner)[1]]),
  'field.relation.field.required': () => faultsOf(post(relation('x', 'post', '', 'o2m'))),
  'field.not_found': () => faultsOf({ ...text({}), renames: { fields: { titel: 'x' } } }, snapshotOf(post())),
  'field.file.schema.required': () => faultsOf({ ...post(field('file', 'x')), name: '' }),
  'field.setter.compile_error': () => faultsOf(text({ setter: 'value +' })),
  'field.getter.compile_error': () => faultsOf(text({ getter: '1' })),
  'field.property.invalid': () => faultsOf(text({ size: 'x' })),
  'field.property.unknown': () => faultsOf(text({ sise: 7 })),
  'field.name.invalid': () => faultsOf(post(field('string', '1x'))),
  'field.name.reserved': () => faultsOf(post(field('string', 'constructor'))),
  'field.name.too_long': () => faultsOf(post(field('string', LONG))),
  'field.name.duplicate': () => faultsOf(post(field('string', 'Title'))),
  'field.column.invalid': () => faultsOf(text({ db: { column: 'a b' } })),
  'field.column.duplicate': () => faultsOf(text({ db: { column: 'title' } })),
  'field.db.not_allowed': () => faultsOf(text({ db: { increment: true } })),
  'field.size.invalid': () => faultsOf(text({ size: -1 })),
  'field.size.not_allowed': () => faultsOf(post(field('int', 'x', { size: 3 }))),
  'field.unique.not_allowed': () => faultsOf(post(field('json', 'x', { unique: true }))),
  'field.multiple.not_allowed': () => faultsOf(text({ multiple: true })),
  'field.searchable.not_allowed': () => faultsOf(post(field('int', 'x', { searchable: true }))),
  'field.default.invalid': () => faultsOf(post(field('int8', 'x', { default: 128 }))),
  'field.default.not_allowed': () => faultsOf(post(field('file', 'x', { default: 'y' }))),
  'field.file.invalid': () => faultsOf(post(field('file', 'x', { file: { types: ['image'] } }))),
  'field.file.not_allowed': () => faultsOf(text({ file: { max_size: 1 } })),
  'field.enum.not_allowed': () => faultsOf(text({ enums: [{ value: 'a' }] })),
  'field.enum.value.required': () => faultsOf(post(field('enum', 'x', { enums: [{ label: 'A' }] }))),
  'field.enum.value.duplicate': () => faultsOf(post(field('enum', 'x', { enums: [{ value: 'a' }, { value: 'a' }] }))),
  'field.relation.not_allowed': () => faultsOf(text({ relation: { schema: 'post' } })),
  'field.setter.not_allowed': () => faultsOf(post(field('file', 'x', { setter: 'value' }))),
  'field.getter.not_allowed': () => faultsOf(post(field('file', 'x', { getter: 'value' }))),
  'field.limit.exceeded': () => faultsOf(text({ label: 'x'.repeat(256) })),
  'field.system.changed': () => faultsOf({ name: 'user', fields: [field('text', 'email')] }),
  'field.rename.conflict': () => faultsOf({ ...text({}), renames: { fields: { title: 'x' } } }, snapshotOf(post())),

  'relation.target.not_found': () => faultsOf(post(relation('x', 'pots', 'y', 'o2m'))),
  'relation.back_ref.missing': () => faultsOf(post(relation('x', 'user', 'posts', 'o2m'))),
  'relation.fk.target.not_found': () => faultsOf(pair({ target_column: 'code' }, owner)),
  'relation.fk.clone_failed': () => thrown(() => cloneKeyColumn('post', { type: 'json', name: 'x' })),
  'relation.config.missing': () => {
    const faults = new FaultList();
    const definition = {
      name: 'a',
      namespace: 'as',
      label_field: 'id',
      fields: [{ type: 'relation', name: 'x' }] as const,
    };
    const set = schemaSet([checkedSchema(definition, SYSTEM)], SYSTEM, faults);
    relationSides(set, linkScope(set, undefined), faults);
    return faults.sorted();
  },
  'relation.property.invalid': () => faultsOf(pair({ optional: 'yes' }, owner)),
  'relation.property.unknown': () => faultsOf(pair({ onwer: true }, owner)),
  'relation.back_ref.self': () => faultsOf(post(relation('x', 'post', 'x', 'm2m', owner))),
  'relation.back_ref.taken': () =>
    faultsOf([post(field('file', 'x')), { name: 'file', fields: [field('int', 'post_x')] }]),
  'relation.owner.missing': () => faultsOf(pair({}, {})),
  'relation.owner.duplicate': () => faultsOf(pair(owner, owner)),
  'relation.type.mismatch': () =>
    faultsOf([...pair({}, owner).slice(0, 1), schema('tag', [relation('posts', 'post', 'tag', 'o2o', owner)])]),
  'relation.column.invalid': () => faultsOf(pair({ source_column: 'a b' }, owner)),
  'relation.column.duplicate': () => faultsOf(pair({ source_column: 'x', target_column: 'x' }, owner, 'm2m')),
  'relation.column.mismatch': () => faultsOf(pair({ source_column: 'x' }, { ...owner, source_column: 'y' })),
  'relation.fk.target.not_unique': () => faultsOf(pair({ target_column: 'title' }, owner)),
  'relation.junction_table.invalid': () => faultsOf(pair({ junction_table: 'user_roles' }, owner, 'm2m')),
  'relation.junction_table.taken': () => faultsOf(pair({ junction_table: 'posts' }, owner, 'm2m')),
  'relation.junction_table.mismatch': () =>
    faultsOf(pair({ junction_table: 'a' }, { ...owner, junction_table: 'b' }, 'm2m')),
  'relation.on_delete.invalid': () => faultsOf(pair({ on_delete: 'explode' }, owner)),
  'relation.on_update.invalid': () => faultsOf(pair({ on_update: 'set_null' }, owner, 'm2m')),
  'relation.on_delete.impossible': () => faultsOf(required({ on_delete: 'set_null' })),
  'relation.on_update.impossible': () => faultsOf(required({ on_update: 'SET NULL' })),
  'relation.on_delete.mismatch': () => faultsOf(pair({ on_delete: 'cascade' }, { ...owner, on_delete: 'restrict' })),
  'relation.on_update.mismatch': () => faultsOf(pair({ on_update: 'cascade' }, { ...owner, on_update: 'restrict' })),
  'relation.on_erase.invalid': () => faultsOf(ofAccounts({ on_erase: 'forget' }, owner)),
  'relation.on_erase.unrelated': () => faultsOf(pair({ on_erase: 'keep' }, owner)),
  'relation.on_erase.impossible': () => faultsOf(ofAccounts({ on_erase: 'delete' }, owner, 'm2m')),
  'relation.on_erase.mismatch': () => faultsOf(ofAccounts({ on_erase: 'delete' }, { ...owner, on_erase: 'keep' })),

  'builder.schema.duplicate': () => faultsOf([{ name: 'user' }, { name: 'user' }]),
  'builder.schema.not_found': () => faultsOf([], snapshotOf(post()), { remove: ['pots'] }),
  'builder.schema.primary_key.missing': () => {
    const definition = { name: 'a', namespace: 'as', label_field: 'id', primary_field: 'x', fields: [] };
    return thrown(() => checkedSchema(definition, SYSTEM).primaryField);
  },
  'builder.relation.not_m2m': () => faultsOf(pair({ junction_table: 'x' }, owner)),
  'builder.junction_field.create_failed': () => thrown(() => junctionOfSameColumns()),
};

/** Post and tag, where a post must have a tag. */
function required(more: object): unknown[] {
  const side = { type: 'relation', name: 'tag', relation: { schema: 'tag', field: 'posts', type: 'o2m', ...more } };
  return [post(side), schema('tag', [relation('posts', 'post', 'tag', 'o2m', owner)])];
}

/** Returns a fault that validation normally prevents: the columns of a junction have the same name. */
function junctionOfSameColumns(): unknown {
  const checked = checkedSchema({ name: 'a', namespace: 'as', label_field: 'id', fields: [] }, SYSTEM);
  const side = (name: string): Side => {
    const definition = { type: 'relation', name } as const;
    const relationOf = { location: checked.location, values: {}, faulty: new Set<string>() };
    return new Side(checked, { location: checked.location, definition }, relationOf, new FaultList());
  };
  const pairOf = { type: 'm2m', owner: side('x'), other: side('y') } as const;
  const actions = { onDelete: 'cascade', onUpdate: 'cascade' } as const;
  const storage = {
    kind: 'junction',
    pair: pairOf,
    table: 'xs',
    ownerColumn: 'c',
    otherColumn: 'c',
    ...actions,
  } as const;
  const ids = { schema: () => 's', field: (_: unknown, name: string) => name, former: () => undefined };
  const context: LinkContext = {
    ids,
    sides: new Map(),
    storages: new Map(),
    expressions: new Map(),
    referenced: new Set(),
  };
  return buildJunction(storage, context);
}

describe('every schema error code', () => {
  test.each(Object.keys(CASES) as SchemaFaultCode[])('%s is raised alone', (code) => {
    const faults = CASES[code]();
    const also: readonly string[] = code === 'field.file.schema.required' ? ['schema.name.required'] : [];
    expect(faults.map((fault) => fault.code)).toEqual([...also, code]);
    const fault = faults.find((candidate) => candidate.code === code);
    expect(fault?.message).not.toMatch(/\{\w+\}|undefined| "" /);
  });

  test('a valid definition has no errors', () => {
    expect(faultsOf(blog())).toEqual([]);
    expect(applied(snapshotOf(blog()), { put: [{ json: blog() }] }).plan.steps).toEqual([]);
  });

  test('the table has a case for each code', () => {
    expect(Object.keys(CASES).sort()).toEqual(Object.keys(SCHEMA_FAULT_CODES).sort());
  });

  test('parsing alone reports nothing as missing', () => {
    const faults = new FaultList();
    readSubmission([{ json: {} }], faults);
    expect(summary(faults.sorted())).toEqual([]);
  });
});
