import type { EnumValueDefinition } from '../../model/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { RawEnumValue } from '../definition/raw-schema.types.js';
import { reportMember, type FieldContext } from './field-context.js';

/** Judges `enums` and answers the values, or `undefined` where the type has none or they are unusable. */
export function checkEnums(context: FieldContext): readonly EnumValueDefinition[] | undefined {
  const { enums } = context.raw;
  const isEmpty = enums === undefined || (enums !== 'unusable' && enums.length === 0);
  if (context.type !== 'enum') {
    if (!isEmpty) reportMember(context, 'field.enum.not_allowed', ['enums']);
    return undefined;
  }
  if (isEmpty || enums === 'unusable') {
    if (!context.raw.faulty.has('enums')) reportMember(context, 'field.enum.required', ['enums']);
    return undefined;
  }
  if (enums.length > SCHEMA_LIMITS.enums) {
    const params = { what: 'The list of enum values', actual: enums.length, limit: SCHEMA_LIMITS.enums };
    reportMember(context, 'field.limit.exceeded', ['enums'], { params });
  }
  const seen = new Set<string>();
  const values = enums.map((entry, index) => checkEnumValue(context, entry, index, seen));
  const usable = values.filter((value) => value !== undefined);
  return usable.length === values.length ? usable : undefined;
}

function checkEnumValue(context: FieldContext, entry: RawEnumValue, index: number, seen: Set<string>) {
  const { value, label } = entry.values;
  const report = (code: 'required' | 'duplicate', text: string) =>
    reportMember(context, `field.enum.value.${code}`, ['enums', index, 'value'], { params: { index, value: text } });
  if (typeof value !== 'string' || value === '') {
    if (!entry.faulty.has('value')) report('required', '');
    return undefined;
  }
  checkEnumText(context, value, index);
  if (seen.has(value)) report('duplicate', value);
  seen.add(value);
  return label === undefined ? { value } : { value, label };
}

function checkEnumText(context: FieldContext, value: string, index: number): void {
  const [actual, limit] = [Buffer.byteLength(value), SCHEMA_LIMITS.enumValueBytes];
  if (actual > limit) {
    const params = { what: 'The enum value', actual, limit };
    reportMember(context, 'field.limit.exceeded', ['enums', index, 'value'], { params });
  }
}
