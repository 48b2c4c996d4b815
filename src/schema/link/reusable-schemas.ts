import type { LinkedSchema, SchemaModel } from '../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.types.js';
import type { SchemaSet } from './schema-set.js';
import type { Sides } from './side.types.js';

/**
 * The schemas whose links cannot have changed: their definition is the very object of the former model, and so are
 * those of all schemas that they lead to, before and now. They are taken over as they are.
 */
export function reusableSchemas(
  set: SchemaSet,
  sides: Sides,
  previous: SchemaModel | undefined,
): ReadonlyMap<CheckedSchema, LinkedSchema> {
  const reusable = new Map<CheckedSchema, LinkedSchema>();
  if (previous === undefined) return reusable;
  const isUnchanged = (name: string) => {
    const before = previous.schemas[name];
    return before !== undefined && before.definition === set.byName.get(name)?.definition;
  };
  for (const schema of set.byName.values()) {
    const before = previous.schemas[schema.definition.name];
    if (before === undefined || !isUnchanged(before.name)) continue;
    const targets = [...(sides.get(schema)?.values() ?? [])].map((side) => side.relation.values.schema ?? '');
    const formerTargets = Object.values(before.fields).map((field) => (field.kind === 'relation' ? field.target : ''));
    const neighbours = new Set([...targets, ...formerTargets].filter((name) => name !== ''));
    if ([...neighbours].every(isUnchanged)) reusable.set(schema, before);
  }
  return reusable;
}
