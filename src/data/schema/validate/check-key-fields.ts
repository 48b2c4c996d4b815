import { type FaultList, below } from '../codes/fault-list.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { RawSchema } from '../definition/definition-members.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { SystemSchema } from '../../../kernel/system-schema.js';
import type { CheckedSchema } from './checked-schema.js';

/** The primary key of a schema without `primary_field`. */
const AUTOMATIC_ID: FieldDefinition = { type: 'uuid', name: 'id', immutable: true };

/** Fields of every schema unless `disable_timestamp` is set. `deleted_at` enables soft deletion. */
export const AUTOMATIC_TIMES: readonly FieldDefinition[] = [
  { type: 'time', name: 'created_at', immutable: true },
  { type: 'time', name: 'updated_at' },
  { type: 'time', name: 'deleted_at', optional: true },
];

export interface KeyFieldInput {
  readonly raw: RawSchema;
  readonly fields: ReadonlyMap<string, FieldDefinition>;
  readonly invalid: CheckedSchema['invalid'];
  readonly system: SystemSchema | undefined;
  readonly faults: FaultList;
}

/** Checks `label_field`: a string or text field, or `id`. */
export function checkLabelField({ raw, fields, invalid, system, faults }: KeyFieldInput): void {
  const { place } = raw;
  const at = below(place, 'label_field');
  const name = raw.values.label_field;
  const fixed = system?.definition.label_field;
  if (!name) {
    if (!fixed && !raw.faulty.has('label_field')) faults.add('schema.label_field.required', at);
  } else if (fixed) {
    if (name !== fixed) faults.add('schema.label_field.system_schema', at, { params: { fixed } });
  } else if (!invalid.has(name) && !isLabel(name, fields.get(name))) {
    const names = [...fields.values()].filter((field) => isLabel(field.name, field)).map((field) => field.name);
    faults.add('schema.label_field.not_found', at, unknownName(name, names));
  }
}

/** A label must be readable text. The automatic `id` is always allowed. */
function isLabel(name: string, field: FieldDefinition | undefined): boolean {
  return field !== undefined && (name === 'id' || field.type === 'string' || field.type === 'text');
}

/** Checks `primary_field`: a required field of a type that supports keys. */
export function checkPrimaryField(input: KeyFieldInput): void {
  const { raw, fields, invalid, system, faults } = input;
  const { place } = raw;
  const at = below(place, 'primary_field');
  const name = raw.values.primary_field;
  if (system) {
    if (name && name !== 'id') {
      faults.add('schema.primary_field.system_schema', at, { params: { fixed: 'id' } });
    }
    return;
  }
  // An empty `primary_field` means none, so only a declared `id` can be the key.
  if (name === '' && !raw.fields.some((field) => field.values.name === 'id')) {
    faults.add('schema.primary_field.required', at);
    return;
  }
  const key = name || 'id';
  const field = fields.get(key);
  if (invalid.has(key)) return;
  if (field === undefined) {
    faults.add('schema.primary_field.not_found', at, unknownName(key, [...fields.keys()]));
  } else {
    checkKeyField(input, field);
  }
}

function checkKeyField({ raw, faults }: KeyFieldInput, field: FieldDefinition): void {
  const position = raw.fields.find((candidate) => candidate.values.name === field.name);
  const { primary_field: declared } = raw.values;
  const reason = keyMismatch(field);
  if (reason) {
    const place = declared ? below(raw.place, 'primary_field') : (position?.place ?? raw.place);
    faults.add('schema.primary_field.invalid', place, { params: { name: field.name, reason } });
  }
  if (position === undefined) return;
  if (field.default !== undefined) {
    faults.add('field.default.not_allowed', below(position.place, 'default'), { params: { type: 'primary key' } });
  }
  if (field.getter) {
    faults.add('field.getter.not_allowed', below(position.place, 'getter'), { params: { type: 'primary key' } });
  }
}

function keyMismatch(field: FieldDefinition): string | undefined {
  if (!fieldType(field.type).key) return `the type ${field.type} cannot be a key`;
  return field.optional ? 'it is optional' : undefined;
}

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, SCHEMA_LIMITS.listedNames).join(', ') || 'none';
  return names.length > SCHEMA_LIMITS.listedNames ? `${shown}, …` : shown;
}

export function unknownName(name: string, names: readonly string[]) {
  return { params: { name, available: listed(names) }, suggestion: nearName(name, names) };
}

interface AutomaticFieldsInput {
  readonly system: boolean;
  readonly primaryField: string | undefined;
  readonly timestamps: boolean;
  readonly declared: ReadonlySet<string>;
}

export function automaticFields(input: AutomaticFieldsInput): {
  readonly before: readonly FieldDefinition[];
  readonly after: readonly FieldDefinition[];
} {
  if (input.system) return { before: [], after: [] };
  const needsId = (input.primaryField ?? 'id') === 'id' && !input.declared.has('id');
  const times = input.timestamps ? AUTOMATIC_TIMES.filter((field) => !input.declared.has(field.name)) : [];
  return { before: needsId ? [AUTOMATIC_ID] : [], after: times };
}
