import { VIEW_SCHEMA } from '../../src/features/views/view.schema.js';
import { FILE_SCHEMA } from '../../src/features/files/file.schema.js';
import { SESSION_SCHEMA } from '../../src/identity/auth/sessions/session.schema.js';
import { PERMISSION_SCHEMA, ROLE_SCHEMA, USER_SCHEMA } from '../../src/identity/users/users.schema.js';
import type { SystemSchemas } from '../../src/kernel/system-schema.js';
import type { SchemaFault } from '../../src/data/schema/codes/schema-fault.js';
import { initialSnapshot, prepareChange, type SchemaChange } from '../../src/data/schema/change/prepare-change.js';
import type { SchemaPlan } from '../../src/data/schema/plan/plan.types.js';
import type { SchemaSnapshot } from '../../src/data/schema/snapshot/schema-snapshot.types.js';

export const SYSTEM: SystemSchemas = new Map(
  [USER_SCHEMA, ROLE_SCHEMA, PERMISSION_SCHEMA, FILE_SCHEMA, SESSION_SCHEMA, VIEW_SCHEMA].map((one) => [
    one.definition.name,
    one,
  ]),
);

type Json = Record<string, unknown>;

export function schema(name: string, fields: readonly unknown[] = [], more: Json = {}): Json {
  return {
    name,
    namespace: `${name}s`,
    label_field: 'title',
    fields: [{ type: 'string', name: 'title' }, ...fields],
    ...more,
  };
}

export function field(type: unknown, name: string, more: Json = {}): Json {
  return { type, name, ...more };
}

export function relation(name: string, target: string, back: string, type: string, more: Json = {}): Json {
  return { type: 'relation', name, optional: true, relation: { schema: target, field: back, type, ...more } };
}

/** Returns schemas with one relation of every kind. */
export function blog(): Json[] {
  return [
    schema('author', [
      field('string', 'email', { unique: true }),
      relation('posts', 'post', 'author', 'o2m', { owner: true }),
      relation('profile', 'profile', 'author', 'o2o', { owner: true }),
    ]),
    schema('profile', [field('text', 'bio', { optional: true }), relation('author', 'author', 'profile', 'o2o')]),
    schema('post', [
      field('text', 'body', { searchable: true, optional: true }),
      field('enum', 'status', { enums: [{ value: 'draft' }, { value: 'published' }], default: 'draft' }),
      field('int', 'views', { default: 0 }),
      relation('author', 'author', 'posts', 'm2o', { on_delete: 'cascade' }),
      relation('tags', 'tag', 'posts', 'm2m', { owner: true }),
      field('file', 'cover', { optional: true }),
      field('file', 'images', { multiple: true }),
    ]),
    schema('tag', [
      relation('posts', 'post', 'tags', 'm2m'),
      relation('parent', 'tag', 'children', 'm2o'),
      relation('children', 'tag', 'parent', 'o2m', { owner: true }),
    ]),
  ];
}

export function faultsOf(
  json: unknown,
  current = initialSnapshot(SYSTEM),
  more: SchemaChange = {},
): readonly SchemaFault[] {
  const prepared = prepareChange(current, { put: [{ json }], ...more });
  return prepared.ok ? [] : prepared.faults;
}

/** Formats faults as `code path`, or `code` without a path. */
export function summary(faults: readonly SchemaFault[]): string[] {
  return faults.map((fault) => (fault.path === undefined ? fault.code : `${fault.code} ${fault.path}`));
}

/** Applies a valid change. @throws Error with the faults of an invalid one. */
export function applied(current: SchemaSnapshot, change: SchemaChange): { snapshot: SchemaSnapshot; plan: SchemaPlan } {
  const prepared = prepareChange(current, change);
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.faults, null, 2));
  return prepared;
}

export function snapshotOf(json: unknown): SchemaSnapshot {
  return applied(initialSnapshot(SYSTEM), { put: [{ json }] }).snapshot;
}
