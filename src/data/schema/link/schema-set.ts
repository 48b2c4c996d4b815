import { type FaultList, UNCHANGED_RANK, below } from '../codes/fault-list.js';
import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import { CheckedSchema } from '../validate/checked-schema.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';

export interface SchemaSet {
  /** All schemas, including those with an invalid or duplicate name. */
  readonly all: readonly CheckedSchema[];
  readonly byName: ReadonlyMap<string, CheckedSchema>;
  /** Name of the schema for files; undefined if the application has none. */
  readonly fileTarget: string | undefined;
}

/** Adds missing system schemas and reports duplicate names. */
export function schemaSet(schemas: readonly CheckedSchema[], system: SystemSchemas, faults: FaultList): SchemaSet {
  const names = new Set(schemas.map(({ name }) => name));
  const missing = [...system.values()].filter(({ definition }) => !names.has(definition.name));
  const all = [...schemas, ...missing.map(({ definition }) => checkedSchema(definition, system))];
  const byName = new Map<string, CheckedSchema>();
  const usedNames: UsedNames = { names: new Map(), namespaces: new Map() };
  // Existing and system schemas take precedence. The error is reported for the new schema.
  const rankOf = ({ location, system: own }: CheckedSchema): number => (location.submitted ? (own ? 1 : 2) : 0);
  for (const rank of [0, 1, 2]) {
    const equals = all.filter((schema) => rankOf(schema) === rank);
    for (const schema of equals) if (claimName(schema, usedNames, faults)) byName.set(schema.name, schema);
    for (const schema of equals) claimNamespace(schema, usedNames, faults);
  }
  const fileTarget = [...system.values()].find(({ holdsFiles }) => holdsFiles)?.definition.name;
  return { all, byName, fileTarget };
}

/** Returns a previously linked definition as a valid schema. */
export function checkedSchema(definition: SchemaDefinition, system: SystemSchemas): CheckedSchema {
  const location = { rank: UNCHANGED_RANK, submitted: false, schema: definition.name, path: '' };
  return new CheckedSchema({ location, definition, system: system.get(definition.name) });
}

/** Names and namespaces share one space, because content routes accept either. Keys are in lower case. */
interface UsedNames {
  readonly names: Map<string, CheckedSchema>;
  readonly namespaces: Map<string, CheckedSchema>;
}

function claimName(schema: CheckedSchema, { names, namespaces }: UsedNames, faults: FaultList): boolean {
  const { name } = schema;
  if (name === '') return false;
  const key = name.toLowerCase();
  const isFirst = !names.has(key);
  if (isFirst) names.set(key, schema);
  if (isFirst && !namespaces.has(key)) return true;
  const code = schema.system ? 'builder.schema.duplicate' : 'schema.name.duplicate';
  faults.add(code, below(schema.location, 'name'), { params: { name } });
  return isFirst;
}

function claimNamespace(schema: CheckedSchema, { names, namespaces }: UsedNames, faults: FaultList): void {
  const name = schema.definition.namespace;
  const key = name.toLowerCase();
  const owner = namespaces.get(key) ?? names.get(key);
  if (name !== '' && !namespaces.has(key)) namespaces.set(key, schema);
  if (name === '' || owner === undefined || owner === schema) return;
  // Duplicates of one schema were already reported by name.
  if (owner.name.toLowerCase() === schema.name.toLowerCase()) return;
  faults.add('schema.namespace.duplicate', below(schema.location, 'namespace'), {
    params: { name, other: owner.name },
  });
}

export interface LinkScope {
  /** Schemas to check and link again, in the order of the set. */
  readonly affected: ReadonlySet<CheckedSchema>;
  /** The affected schemas, then the targets of their relations, so that both sides of each relation are included. */
  readonly region: readonly CheckedSchema[];
  readonly unchanged: ReadonlyMap<string, LinkedSchema>;
}

/**
 * Determines the schemas that a change can affect: those with another definition object, and their current and former neighbours. A valid
 * relation has both sides, so each side finds the other. All other schemas keep their links.
 */
export function linkScope(set: SchemaSet, previous: SchemaModel | undefined): LinkScope {
  const affected = affectedSchemas(set, previous);
  const region = new Set(affected);
  for (const schema of affected) {
    const linked = previous?.schemas[schema.name];
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

/** Returns new and different schemas, and schemas related to them now or before, in the order of the set. */
export function affectedSchemas(set: SchemaSet, previous: SchemaModel | undefined): ReadonlySet<CheckedSchema> {
  if (previous === undefined) return new Set(set.all);
  const isSame = (schema: CheckedSchema): boolean => {
    const { name } = schema;
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
