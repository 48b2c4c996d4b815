import { isDeepStrictEqual } from 'node:util';

import type { FieldDefinition, SchemaDefinition } from '../../model/schema-definition.types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { SYSTEM_SCHEMAS } from '../../model/system-schemas.js';

/**
 * The definition of a linked schema as this release has it: a system schema that was linked by an earlier one gets the
 * fields of this one and keeps those that were added to it. Answers the very same object where nothing differs.
 */
export function currentSystemSchema(schema: LinkedSchema): SchemaDefinition {
  const system = SYSTEM_SCHEMAS.get(schema.name);
  if (!schema.system || !system) return schema.definition;
  const former = new Map(schema.definition.fields.map((field) => [field.name, field]));
  const own = system.definition.fields.map((field) => withFormerLooks(field, former.get(field.name)));
  const added = schema.definition.fields.filter((field) => schema.fields[field.name]?.origin !== 'system');
  const names = new Set(own.map((field) => field.name));
  const definition = {
    ...schema.definition,
    label_field: system.definition.label_field,
    fields: [...own, ...added.filter((field) => !names.has(field.name))],
  };
  return isDeepStrictEqual(definition, schema.definition) ? schema.definition : definition;
}

function withFormerLooks(field: FieldDefinition, former: FieldDefinition | undefined): FieldDefinition {
  if (former?.label === undefined && former?.renderer === undefined) return field;
  const { label, renderer } = former;
  return { ...field, ...(label === undefined ? {} : { label }), ...(renderer === undefined ? {} : { renderer }) };
}
