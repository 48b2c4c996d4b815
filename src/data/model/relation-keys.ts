import type { LinkedRelationField, LinkedSchema, LinkedValueField } from './schema-model.types.js';

/** A foreign key stored in the row. Responses contain it as `<field>_id`. */
export interface RelationKey {
  readonly name: string;
  readonly relation: LinkedRelationField;
  readonly column: string;
  /** The target field that the key refers to, usually the primary key. */
  readonly keyField: LinkedValueField;
}

type Schemas = Readonly<Record<string, LinkedSchema>>;

function cached<T>(find: (schema: LinkedSchema, schemas: Schemas) => T): (schema: LinkedSchema, schemas: Schemas) => T {
  const found = new WeakMap<Schemas, Map<LinkedSchema, T>>();
  return (schema, schemas) => {
    const cached = found.get(schemas) ?? new Map<LinkedSchema, T>();
    found.set(schemas, cached);
    const value = cached.get(schema) ?? find(schema, schemas);
    cached.set(schema, value);
    return value;
  };
}

/** Returns the foreign keys in records of a schema. A field with the same name hides a key. */
export const relationKeys = cached((schema, schemas): readonly RelationKey[] =>
  Object.values(schema.fields).flatMap((field) =>
    field.kind === 'relation' ? (keyOf(field, schema, schemas) ?? []) : [],
  ),
);

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

/** The file keys of a multi-file field. Responses contain them as `<field>_ids`. */
export interface RelationKeyList {
  readonly name: string;
  readonly relation: LinkedRelationField;
  readonly keyField: LinkedValueField;
}

/** Returns the file key lists in records of a schema. A field with the same name hides a list. */
export const relationKeyLists = cached((schema, schemas): readonly RelationKeyList[] =>
  Object.values(schema.fields).flatMap((relation) => {
    const target = relation.kind === 'relation' && relation.many ? schemas[relation.target] : undefined;
    const keyField = target?.fields[target.primaryField];
    const name = `${relation.name}_ids`;
    const isList =
      target?.traits.holdsFiles === true && keyField?.kind === 'value' && schema.fields[name] === undefined;
    return isList && relation.kind === 'relation' ? [{ name, relation, keyField }] : [];
  }),
);

/** Returns the relation behind `<field>_id` or `<field>_ids`; undefined for other names. */
export function keyedRelation(schema: LinkedSchema, schemas: Schemas, name: string): LinkedRelationField | undefined {
  return (relationKey(schema, schemas, name) ?? relationKeyLists(schema, schemas).find((list) => list.name === name))
    ?.relation;
}
