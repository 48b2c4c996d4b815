import { effectiveRenames } from '../link/stable-ids.js';
import type { FieldDefinition, SchemaDefinition } from '../../model/schema-definition.types.js';
import type { SchemaModel } from '../../model/schema-model.types.js';
import { SYSTEM_SCHEMAS } from '../../model/system-schemas.js';
import type { CheckedSchema } from '../validate/checked-schema.types.js';

/** Rewrites a definition that was not submitted so that its relations follow the renames of those that were. */
export type FollowRenames = (definition: SchemaDefinition) => SchemaDefinition;

/** Gathers the renames of a submission. A definition that none of them touches is answered as the very same object. */
export function followRenames(submitted: readonly CheckedSchema[], current: SchemaModel): FollowRenames {
  const renamed = submitted.filter((schema) => schema.renames);
  if (renamed.length === 0) return (definition) => definition;
  const byFormerName = new Map(
    renamed
      .map((schema) => [schema.renames?.schema ?? schema.definition.name, schema] as const)
      .filter(([former, schema]) => former === schema.definition.name || !SYSTEM_SCHEMAS.has(former)),
  );
  const follow = (field: FieldDefinition): FieldDefinition => {
    const schema = byFormerName.get(field.relation?.schema ?? '');
    if (!field.relation || !schema) return field;
    const former = current.schemas[schema.renames?.schema ?? ''] ?? current.schemas[schema.definition.name];
    const back = effectiveRenames(schema, former).get(field.relation.field) ?? field.relation.field;
    const target = schema.definition.name;
    if (back === field.relation.field && target === field.relation.schema) return field;
    return { ...field, relation: { ...field.relation, schema: target, field: back } };
  };
  return (definition) => {
    const fields = definition.fields.map(follow);
    const isTouched = fields.some((field, index) => field !== definition.fields[index]);
    return isTouched ? { ...definition, fields } : definition;
  };
}
