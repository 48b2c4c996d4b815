import type { FieldDefinition } from '../../model/schema-definition.types.js';

/** The key that a schema without `primary_field` gets. */
const AUTOMATIC_ID: FieldDefinition = { type: 'uuid', name: 'id', immutable: true };

/** The fields that every schema gets unless `disable_timestamp`; `deleted_at` makes deleting reversible. */
export const AUTOMATIC_TIMES: readonly FieldDefinition[] = [
  { type: 'time', name: 'created_at', immutable: true },
  { type: 'time', name: 'updated_at' },
  { type: 'time', name: 'deleted_at', optional: true },
];

/** What decides which automatic fields a schema has. */
export interface AutomaticFieldsInput {
  readonly system: boolean;
  readonly primaryField: string | undefined;
  readonly timestamps: boolean;
  readonly declared: ReadonlySet<string>;
}

/** The fields that a schema has without declaring them: before its own (`id`) and after them (times). */
export function automaticFields(input: AutomaticFieldsInput): {
  readonly before: readonly FieldDefinition[];
  readonly after: readonly FieldDefinition[];
} {
  if (input.system) return { before: [], after: [] };
  const needsId = (input.primaryField ?? 'id') === 'id' && !input.declared.has('id');
  const times = input.timestamps ? AUTOMATIC_TIMES.filter((field) => !input.declared.has(field.name)) : [];
  return { before: needsId ? [AUTOMATIC_ID] : [], after: times };
}
