import type { LinkedRelationField, LinkedSchema, LinkedValueField } from './schema-model.types.js';

/** The key of the record that a relation to one leads to, which the row itself holds: a record answers it as `<field>_id`. */
export interface RelationKey {
  /** `<field>_id`. */
  readonly name: string;
  readonly relation: LinkedRelationField;
  /** The column of the row that holds it. */
  readonly column: string;
  /** The field of the target that it is the value of; mostly the primary one. */
  readonly keyField: LinkedValueField;
}

type Schemas = Readonly<Record<string, LinkedSchema>>;

/** Found once for each form of the schemas. */
const FOUND = new WeakMap<Schemas, Map<LinkedSchema, readonly RelationKey[]>>();

/** Returns the keys that records of a schema answer. A field of the very name comes before a key. */
export function relationKeys(schema: LinkedSchema, schemas: Schemas): readonly RelationKey[] {
  const found = FOUND.get(schemas) ?? new Map<LinkedSchema, readonly RelationKey[]>();
  FOUND.set(schemas, found);
  const known = found.get(schema);
  if (known !== undefined) return known;
  const keys = Object.values(schema.fields).flatMap((field) =>
    field.kind === 'relation' ? (keyOf(field, schema, schemas) ?? []) : [],
  );
  found.set(schema, keys);
  return keys;
}

/** Returns the key of a name, or undefined. */
export function relationKey(schema: LinkedSchema, schemas: Schemas, name: string): RelationKey | undefined {
  return relationKeys(schema, schemas).find((key) => key.name === name);
}

function keyOf(relation: LinkedRelationField, { fields }: LinkedSchema, schemas: Schemas): RelationKey | null {
  const { join, many } = relation;
  const name = `${relation.name}_id`;
  if (many || join.kind !== 'direct' || join.holder !== 'own' || fields[name] !== undefined) return null;
  const keyField = Object.values(schemas[relation.target]?.fields ?? {}).find(
    (field): field is LinkedValueField => field.kind === 'value' && field.column === join.targetColumn,
  );
  return keyField === undefined ? null : { name, relation, column: join.ownColumn, keyField };
}
