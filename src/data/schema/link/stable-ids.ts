import { hash } from 'node:crypto';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import { type FaultList, below, unknownName } from '../codes/fault-list.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import type { SchemaSet } from './schema-set.js';

/** Returns a new id for a subject (`schema:post`, `field:post.title`). Equal subjects must get equal ids in one run. */
export type NewId = (subject: string) => string;

/** Generates UUIDs of version 8 (RFC 9562 §5.8) from a seed, so that planning is repeatable. A seed must not be reused: use the version. */
export function seededIds(seed: string): NewId {
  return (subject) => {
    const hex = hash('sha256', `${seed}\n${subject}`);
    const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}

const systemId = seededIds('system');

export interface StableIds {
  schema(schema: CheckedSchema): string;
  field(schema: CheckedSchema, field: string): string;
  /** Returns the same schema in the previous model, even under another name. */
  former(schema: CheckedSchema): LinkedSchema | undefined;
}

/** Keeps ids of schemas and fields, also over `renames`. Ids of system schemas and their fields are the same in every database. */
export function stableIds(
  previous: SchemaModel | undefined,
  schemas: readonly CheckedSchema[],
  newId: NewId,
): StableIds {
  const claimed = new Set(schemas.map((schema) => schema.renames?.schema).filter((name) => name !== undefined));
  const former = (schema: CheckedSchema): LinkedSchema | undefined => {
    const { name } = schema;
    const renamed = previous?.schemas[schema.renames?.schema ?? ''];
    // A name that another schema gives up belongs to that schema. A rename that was already applied changes nothing.
    return renamed ?? (claimed.has(name) ? undefined : previous?.schemas[name]);
  };
  const idBySubject = new Map<string, string>();
  const idOf = (subject: string, isSystem: boolean, formerId: () => string | undefined): string => {
    const id = idBySubject.get(subject) ?? (isSystem ? systemId(subject) : (formerId() ?? newId(subject)));
    idBySubject.set(subject, id);
    return id;
  };
  return {
    former,
    schema: (schema) => idOf(`schema:${schema.name}`, schema.system !== undefined, () => former(schema)?.id),
    field: (schema, field) =>
      idOf(`field:${schema.name}.${field}`, schema.isSystemField(field), () =>
        formerFieldId(schema, field, former(schema)),
      ),
  };
}

const NO_RENAMES: ReadonlyMap<string, string> = new Map();

/** Removes renames that were already applied: the first name of their chain no longer exists, and all others do. */
export function effectiveRenames(schema: CheckedSchema, former: LinkedSchema | undefined): ReadonlyMap<string, string> {
  if (schema.renames === undefined || schema.renames.fields.size === 0) return NO_RENAMES;
  const renames = new Map(schema.renames.fields);
  const targets = new Set(renames.values());
  for (const first of schema.renames.fields.keys()) {
    if (targets.has(first) || former === undefined || former.fields[first] !== undefined) continue;
    const chain = chainOf(first, renames);
    const isApplied = chain.every((name) => former.fields[renames.get(name) ?? ''] !== undefined);
    if (isApplied) for (const name of chain) renames.delete(name);
  }
  return renames;
}

function chainOf(first: string, renames: ReadonlyMap<string, string>): readonly string[] {
  const chain: string[] = [];
  for (let name: string | undefined = first; name !== undefined && renames.has(name) && !chain.includes(name);) {
    chain.push(name);
    name = renames.get(name);
  }
  return chain;
}

function formerFieldId(schema: CheckedSchema, field: string, former: LinkedSchema | undefined): string | undefined {
  const renames = effectiveRenames(schema, former);
  const renamed = [...renames].find(([, name]) => name === field)?.[0];
  const renamedId = renamed === undefined ? undefined : former?.fields[renamed]?.id;
  return renamedId ?? (renames.has(field) ? undefined : former?.fields[field]?.id);
}

export interface RenameContext {
  readonly set: SchemaSet;
  readonly previous: SchemaModel | undefined;
  readonly ids: StableIds;
  readonly system: SystemSchemas;
  /** True for files, whose `renames` may refer to names that never existed. */
  readonly ignoreStale: boolean;
}

/** Each former name must have existed, be free now, and lead to one new name. A rename that was already applied is ignored. */
export function checkRenames(context: RenameContext, faults: FaultList): void {
  const claims = new Set<string>();
  for (const schema of context.set.all) {
    if (schema.renames?.schema) checkSchemaRename(schema, schema.renames.schema, claims, context, faults);
    if (schema.renames) checkFieldRenames(schema, context, faults);
  }
}

function checkSchemaRename(
  schema: CheckedSchema,
  old: string,
  claims: Set<string>,
  { set, previous, system, ignoreStale }: RenameContext,
  faults: FaultList,
): void {
  const { name } = schema;
  const at = below(schema.location, 'renames', 'schema');
  const names = Object.keys(previous?.schemas ?? {});
  const renames = new Map(set.all.flatMap((one) => (one.renames?.schema ? [[one.renames.schema, one.name]] : [])));
  const conflict = (reason: string) => faults.add('schema.rename.conflict', at, { params: { old, name, reason } });
  if (!names.includes(old)) {
    if (names.includes(name) || ignoreStale) return;
    faults.add('builder.schema.not_found', at, unknownName(old, names));
  } else if (system.has(old) || schema.system) {
    conflict('it is a system schema');
  } else if (old === name) {
    conflict('the two names are the same');
  } else if (claims.has(old)) {
    conflict('another schema is renamed to it too');
  } else if (set.byName.has(old) && set.byName.get(old)?.renames?.schema === undefined) {
    conflict('the schema with the old name still exists');
  } else if (names.includes(name) && !renames.has(name)) {
    conflict('a schema with the new name already exists');
  } else if (ignoreStale && leadsBack(old, renames)) {
    conflict(IN_FILE);
  }
  claims.add(old);
}

function checkFieldRenames(schema: CheckedSchema, context: RenameContext, faults: FaultList): void {
  const former = context.ids.former(schema);
  const renames = effectiveRenames(schema, former);
  const claimed = new Set<string>();
  for (const [old, name] of renames) {
    const at = below(schema.location, 'renames', 'fields', old);
    if (former?.fields[old] === undefined) {
      if (context.ignoreStale) continue;
      const names = Object.keys(former?.fields ?? {});
      faults.add('field.not_found', at, { field: old, ...unknownName(old, names) });
      continue;
    }
    const isRing = context.ignoreStale && leadsBack(old, renames);
    const reason = isRing ? IN_FILE : renameConflict(schema, { old, name, claimed, renames }, former);
    if (reason) {
      faults.add('field.rename.conflict', at, { field: name, params: { old, name, reason } });
    }
    claimed.add(name);
  }
}

/** A file is applied repeatedly, and there is no way to tell whether its names have already been swapped. */
const IN_FILE = 'names can be swapped through the API only: a file would swap them again each time it is applied';

function leadsBack(first: string, renames: ReadonlyMap<string, string>): boolean {
  let name = renames.get(first);
  for (let step = 0; step < renames.size && name !== undefined && name !== first; step += 1) name = renames.get(name);
  return name === first;
}

interface FieldRename {
  readonly old: string;
  readonly name: string;
  readonly claimed: ReadonlySet<string>;
  readonly renames: ReadonlyMap<string, string>;
}

function renameConflict(
  schema: CheckedSchema,
  { old, name, claimed, renames }: FieldRename,
  former: LinkedSchema,
): string | undefined {
  const exists = (field: string) => schema.fields.has(field) || schema.invalid.has(field);
  if (former.fields[old]?.origin !== 'declared') return 'it is not a field of a definition';
  if (old === name) return 'the two names are the same';
  if (!exists(name)) return 'the schema has no field with the new name';
  if (claimed.has(name)) return 'another field is renamed to it too';
  if (exists(old) && ![...renames.values()].includes(old)) return 'the field with the old name still exists';
  const occupied = former.fields[name] !== undefined && !renames.has(name);
  return occupied ? 'a field with the new name already existed' : undefined;
}
