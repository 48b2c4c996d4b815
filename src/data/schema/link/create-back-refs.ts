import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { reservedMember } from '../../model/reserved-words.js';
import type { FieldDefinition, RelationDefinition } from '../../../kernel/schema-definition.types.js';
import type { SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedField, CheckedSchema } from '../validate/checked-schema.js';
import { affectedSchemas, type SchemaSet } from './schema-set.js';

/** Adds missing back references (`?back_refs=create`). A created side with the foreign key is optional, because records may exist. */
export function createBackRefs(set: SchemaSet, previous: SchemaModel | undefined): SchemaSet {
  const created = new Map<CheckedSchema, Map<string, CheckedField>>();
  for (const schema of affectedSchemas(set, previous)) {
    if (set.byName.get(schema.definition.name) !== schema) continue;
    for (const field of schema.fields.values()) {
      const relation = completeRelation(field);
      const target = relation && set.byName.get(relation.schema);
      if (!relation || !target) continue;
      const additions = created.get(target) ?? new Map<string, CheckedField>();
      if (!isFree(relation.field, target, additions)) continue;
      additions.set(relation.field, backReference(schema, field.definition, relation, target));
      created.set(target, additions);
    }
  }
  const extended = new Map([...created].map(([schema, additions]) => [schema, withFields(schema, additions)]));
  const current = (schema: CheckedSchema) => extended.get(schema) ?? schema;
  return {
    ...set,
    all: set.all.map(current),
    byName: new Map([...set.byName].map(([name, schema]) => [name, current(schema)])),
  };
}

function completeRelation(field: CheckedField): RelationDefinition | undefined {
  return field.relation && field.relation.faulty.size === 0 ? field.definition.relation : undefined;
}

function isFree(name: string, target: CheckedSchema, additions: ReadonlyMap<string, CheckedField>): boolean {
  if (!isPlainIdentifier(name) || isTooLong(name) || reservedMember(name)) return false;
  const lower = name.toLowerCase();
  if (target.invalid.has(name)) return false;
  const taken = [...target.fields.keys(), ...additions.keys()];
  return !taken.some((candidate) => candidate.toLowerCase() === lower);
}

function backReference(
  schema: CheckedSchema,
  field: FieldDefinition,
  relation: RelationDefinition,
  target: CheckedSchema,
): CheckedField {
  const holdsKey = relation.owner === true && relation.type !== 'm2m';
  const definition: FieldDefinition = {
    type: 'relation',
    name: relation.field,
    ...(holdsKey ? { optional: true } : {}),
    relation: {
      schema: schema.definition.name,
      field: field.name,
      type: relation.type,
      ...(relation.owner ? {} : { owner: true }),
    },
  };
  const place = { ...target.place, field: relation.field };
  return { place, definition, relation: { place, values: definition.relation ?? {}, faulty: new Set() } };
}

function withFields(schema: CheckedSchema, additions: ReadonlyMap<string, CheckedField>): CheckedSchema {
  const added = [...additions.values()].map((field) => field.definition);
  return {
    ...schema,
    fields: new Map([...schema.fields, ...additions]),
    definition: { ...schema.definition, fields: [...schema.definition.fields, ...added] },
  };
}
