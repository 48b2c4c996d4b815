import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.types.js';
import type { SchemaSet } from './schema-set.js';

/** Divides a set into schemas that have to be linked again, and the unchanged ones. */
export interface LinkScope {
  /** Schemas that are judged and linked anew, in the order of the set. */
  readonly affected: ReadonlySet<CheckedSchema>;
  /**
   * Schemas that are judged, and after them the ones that their relations lead to: as much as it takes to judge both sides of a
   * relation.
   */
  readonly region: readonly CheckedSchema[];
  /** The links of all others, by name: they are taken over as they are. */
  readonly unchanged: ReadonlyMap<string, LinkedSchema>;
}

/**
 * Finds what a change can affect: the schemas whose definition is not the very object of the former model, and those
 * that have a relation with them, now or before. A sound relation stands on both sides, so its neighbours are found from
 * either; everything else keeps its links, which were judged sound.
 */
export function linkScope(set: SchemaSet, previous: SchemaModel | undefined): LinkScope {
  const affected = affectedSchemas(set, previous);
  const region = new Set(affected);
  for (const schema of affected) {
    const linked = previous?.schemas[schema.definition.name];
    const neighbours = [...targetsOf(schema, set), ...(linked ? formerTargets(linked) : [])];
    for (const name of neighbours) addNamed(region, name, set);
  }
  const unchanged = new Map<string, LinkedSchema>();
  for (const [name, schema] of set.byName) {
    const linked = previous?.schemas[name];
    if (linked !== undefined && !affected.has(schema)) unchanged.set(name, linked);
  }
  return { affected, region: [...region], unchanged };
}

/** Returns the schemas that are new or different, and those that have a relation with them, now or before; in the order of the set. */
export function affectedSchemas(set: SchemaSet, previous: SchemaModel | undefined): ReadonlySet<CheckedSchema> {
  if (previous === undefined) return new Set(set.all);
  const isSame = (schema: CheckedSchema): boolean => {
    const { name } = schema.definition;
    const linked = previous.schemas[name];
    return set.byName.get(name) === schema && linked?.definition === schema.definition;
  };
  const changed = set.all.filter((schema) => !isSame(schema));
  const affected = new Set(changed);
  for (const schema of changed) for (const name of targetsOf(schema, set)) addNamed(affected, name, set);
  for (const [name, linked] of Object.entries(previous.schemas)) {
    if (set.byName.get(name)?.definition === linked.definition) continue;
    for (const target of formerTargets(linked)) addNamed(affected, target, set);
  }
  return new Set(set.all.filter((schema) => affected.has(schema)));
}

function addNamed(schemas: Set<CheckedSchema>, name: string, set: SchemaSet): void {
  const schema = set.byName.get(name);
  if (schema !== undefined) schemas.add(schema);
}

function formerTargets({ fields }: LinkedSchema): readonly string[] {
  return Object.values(fields).flatMap((field) => (field.kind === 'relation' ? [field.target] : []));
}

function targetsOf({ fields }: CheckedSchema, { fileTarget }: SchemaSet): readonly string[] {
  return [...fields.values()].flatMap(({ definition, relation }) => {
    if (definition.type === 'file') return fileTarget ?? [];
    return relation?.values.schema ?? [];
  });
}
