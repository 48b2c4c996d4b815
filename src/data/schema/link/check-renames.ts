import { type FaultList, below } from '../codes/fault-list.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import { unknownName } from '../validate/check-key-fields.js';
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
  const claims = new Map<string, CheckedSchema>();
  for (const schema of context.set.all) {
    if (schema.renames?.schema) checkSchemaRename(schema, schema.renames.schema, { ...context, claims }, faults);
    if (schema.renames) checkFieldRenames(schema, context, faults);
  }
}

type ClaimContext = RenameContext & { readonly claims: Map<string, CheckedSchema> };

function checkSchemaRename(schema: CheckedSchema, old: string, context: ClaimContext, faults: FaultList): void {
  const { name } = schema.definition;
  const at = below(schema.place, 'renames', 'schema');
  const names = Object.keys(context.previous?.schemas ?? {});
  const conflict = (reason: string) => faults.add('schema.rename.conflict', at, { params: { old, name, reason } });
  if (!names.includes(old)) {
    if (names.includes(name) || context.ignoreStale) return;
    faults.add('builder.schema.not_found', at, unknownName(old, names));
  } else if (context.system.has(old) || schema.system) {
    conflict('it is a system schema');
  } else if (old === name) {
    conflict('the two names are the same');
  } else if (context.claims.has(old)) {
    conflict('another schema claims it too');
  } else if (context.set.byName.get(old)?.renames?.schema === undefined && context.set.byName.has(old)) {
    conflict('a schema of the former name stays');
  } else if (names.includes(name) && !isRenamedAway(name, context.set)) {
    conflict('a schema of the new name is there already');
  } else if (context.ignoreStale && leadsBack(old, schemaRenames(context.set))) {
    conflict(IN_FILE);
  }
  context.claims.set(old, schema);
}

function schemaRenames(set: SchemaSet): ReadonlyMap<string, string> {
  return new Map(
    set.all.flatMap(({ definition, renames }) => (renames?.schema ? [[renames.schema, definition.name]] : [])),
  );
}

function isRenamedAway(name: string, set: SchemaSet): boolean {
  return set.all.some((other) => other.renames?.schema === name);
}

function checkFieldRenames(schema: CheckedSchema, context: RenameContext, faults: FaultList): void {
  const former = context.ids.former(schema);
  const renames = effectiveRenames(schema, former);
  const claimed = new Set<string>();
  for (const [old, name] of renames) {
    const at = below(schema.place, 'renames', 'fields', old);
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
const IN_FILE = 'names that change places are renamed over the API, not by a file, which would do it again';

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
  const isThere = (field: string) => schema.fields.has(field) || schema.invalid.has(field);
  if (former.fields[old]?.origin !== 'declared') return 'it is not a field of a definition';
  if (old === name) return 'the two names are the same';
  if (!isThere(name)) return 'the schema has no field of the new name';
  if (claimed.has(name)) return 'another field is renamed to it too';
  if (isThere(old) && ![...renames.values()].includes(old)) return 'a field of the former name stays';
  const occupied = former.fields[name] !== undefined && !renames.has(name);
  return occupied ? 'a field of the new name was there already' : undefined;
}
