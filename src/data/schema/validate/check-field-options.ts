import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { fieldType } from '../../model/field-types.js';
import { reservedColumn } from '../../model/reserved-words.js';
import type { FieldType, FieldDatabaseDefinition, JsonValue } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import { ROUNDED, valueMismatch } from './check-value.js';
import { type FaultList, type Place, below } from '../codes/fault-list.js';
import type { FaultDetails, SchemaFaultCode } from '../codes/schema-fault.js';
import type { RawField } from '../definition/definition-members.js';

const SIZE_LIMITS: Partial<Record<string, number>> = {
  string: SCHEMA_LIMITS.stringSize,
  text: SCHEMA_LIMITS.textSize,
  bytes: SCHEMA_LIMITS.textSize,
};

export function checkSize(context: FieldContext): number | undefined {
  const { size } = context.raw.values;
  if (size === undefined) return undefined;
  const limit = SIZE_LIMITS[context.type];
  if (limit === undefined) {
    // Other tools write `"size": 0` for no size.
    if (size !== 0) reportMember(context, 'field.size.not_allowed', ['size']);
    return undefined;
  }
  if (Number.isInteger(size) && size >= 1 && size <= limit) return size;
  reportMember(context, 'field.size.invalid', ['size'], { params: { limit } });
  return undefined;
}

export function checkFlags(context: FieldContext): void {
  const { values } = context.raw;
  if (values.unique && !fieldType(context.type).indexed) reportMember(context, 'field.unique.not_allowed', ['unique']);
  if (values.multiple && context.type !== 'file') reportMember(context, 'field.multiple.not_allowed', ['multiple']);
  if (values.searchable && fieldType(context.type).family !== 'string') {
    reportMember(context, 'field.searchable.not_allowed', ['searchable']);
  }
}

export function checkTexts(context: FieldContext): void {
  const { label } = context.raw.values;
  if (label !== undefined) checkLength(context, 'label', 'The label', label, SCHEMA_LIMITS.label);
  for (const member of ['setter', 'getter'] as const) {
    const expression = context.raw.values[member];
    if (!expression) continue;
    if (!fieldType(context.type).sql) reportMember(context, `field.${member}.not_allowed`, [member]);
    else checkLength(context, member, 'The expression', expression, SCHEMA_LIMITS.expression);
  }
}

function checkLength(context: FieldContext, member: string, what: string, text: string, limit: number): void {
  if (text.length <= limit) return;
  reportMember(context, 'field.limit.exceeded', [member], { params: { what, actual: text.length, limit } });
}

/** The `default` of a relation that makes the creating account the owner. */
const OWNER_DEFAULT = 'auth.id';

export function checkDefault(context: FieldContext, size: number | undefined, enums: readonly string[] | undefined) {
  const value: JsonValue | undefined = context.raw.values.default;
  if (value === undefined) return;
  // Whether the relation refers to accounts is checked when it is linked.
  if (context.type === 'relation' && value === OWNER_DEFAULT) return;
  if (!fieldType(context.type).sql) {
    reportMember(context, 'field.default.not_allowed', ['default']);
    return;
  }
  if (context.type === 'enum' && enums === undefined) return;
  const isRounded = context.type === 'json' && context.raw.isDefaultRounded;
  const reason = isRounded ? ROUNDED : valueMismatch(value, { type: context.type, size, enums });
  if (reason) reportMember(context, 'field.default.invalid', ['default'], { params: { reason } });
}

export function checkColumn(context: FieldContext): FieldDatabaseDefinition | undefined {
  const { raw, type, place } = context;
  const values = raw.db?.values ?? {};
  if (values.column) {
    const name = values.column;
    const usable = isPlainIdentifier(name) && !isTooLong(name) && !reservedColumn(name);
    if (!fieldType(type).sql) notAllowed(context, 'column', 'a relation names its columns in `relation`');
    else if (!usable) reportMember(context, 'field.column.invalid', ['db', 'column'], { params: { name } });
  } else if (fieldType(type).sql) {
    const name = place.field ?? '';
    const reason = reservedColumn(name);
    if (reason) reportMember(context, 'field.name.reserved', ['name'], { params: { name, reason } });
  }
  if (values.index && !fieldType(type).indexed) notAllowed(context, 'index', `the type ${type} cannot be indexed`);
  if (values.increment && !isCountable(type)) notAllowed(context, 'increment', `the type ${type} cannot be counted`);
  if (values.increment && raw.values.optional) notAllowed(context, 'increment', 'it is optional');
  const known = Object.entries(values).filter(([, value]) => value !== '' && value !== false);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Identity columns must have an integer type of the database. `uint64` exceeds these. */
export function isCountable(type: FieldType): boolean {
  return fieldType(type).family === 'integer' && type !== 'uint64';
}

function notAllowed(context: FieldContext, property: string, reason: string): void {
  reportMember(context, 'field.db.not_allowed', ['db', property], { params: { property, reason } });
}

export interface FieldContext {
  readonly raw: RawField;
  readonly type: FieldType;
  readonly place: Place;
  readonly faults: FaultList;
}

export function reportMember(
  { place, faults, type }: FieldContext,
  code: SchemaFaultCode,
  members: readonly (string | number)[],
  details: FaultDetails = {},
): void {
  const params = { type, ...details.params };
  faults.add(code, below(place, ...members), { ...details, params });
}
