import { type FaultList, below, unknownName } from '../codes/fault-list.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import type { SchemaSet } from './schema-set.js';
import { effectiveRenames, type StableIds } from './stable-ids.js';

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
