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

/** The keys of the files of a field of several files: a record answers them as `<field>_ids`. */
export interface RelationKeyList {
  /** `<field>_ids`. */
  readonly name: string;
  readonly relation: LinkedRelationField;
  /** The primary field of the files. */
  readonly keyField: LinkedValueField;
}

/** Found once for each form of the schemas. */
const FOUND_LISTS = new WeakMap<Schemas, Map<LinkedSchema, readonly RelationKeyList[]>>();

/** Returns the lists of keys that records of a schema answer. A field of the very name comes before a list of keys. */
export function relationKeyLists(schema: LinkedSchema, schemas: Schemas): readonly RelationKeyList[] {
  const found = FOUND_LISTS.get(schemas) ?? new Map<LinkedSchema, readonly RelationKeyList[]>();
  FOUND_LISTS.set(schemas, found);
  const known = found.get(schema);
  if (known !== undefined) return known;
  const lists = Object.values(schema.fields).flatMap((relation) => {
    const target = relation.kind === 'relation' && relation.many ? schemas[relation.target] : undefined;
    const keyField = target?.fields[target.primaryField];
    const name = `${relation.name}_ids`;
    const isList =
      target?.traits.holdsFiles === true && keyField?.kind === 'value' && schema.fields[name] === undefined;
    return isList && relation.kind === 'relation' ? [{ name, relation, keyField }] : [];
  });
  found.set(schema, lists);
  return lists;
}

/** Returns the relation whose key or keys a record answers under a name, or undefined. */
export function keyedRelation(schema: LinkedSchema, schemas: Schemas, name: string): LinkedRelationField | undefined {
  return (relationKey(schema, schemas, name) ?? relationKeyLists(schema, schemas).find((list) => list.name === name))
    ?.relation;
}
