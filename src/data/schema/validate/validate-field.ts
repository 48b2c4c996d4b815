import { below, type FaultList, type Place } from '../codes/fault-list.js';
import { nearName } from '../../../kernel/text/near-name.js';
import type { RawField, RawEnumValue } from '../definition/definition-members.js';
import { canonicalType, FIELD_TYPE_NAMES, typeNames } from '../../model/field-types.js';
import type {
  FieldType,
  FieldDefinition,
  RelationDefinition,
  EnumValueDefinition,
} from '../../../kernel/schema-definition.types.js';
import { withoutUndefined } from '../../model/plain-record.js';
import {
  checkColumn,
  checkDefault,
  checkFlags,
  checkSize,
  checkTexts,
  reportMember,
  type FieldContext,
} from './check-field-options.js';
import { checkFile } from './check-file.js';
import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { reservedMember } from '../../model/reserved-words.js';
import { checkRelation } from './check-relation.js';
import type { CheckedField, CheckedRelation } from './checked-schema.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';

/** Returns the checked field if its name and type are valid, so that further checks can use it. */
export function validateField(raw: RawField, faults: FaultList): CheckedField | undefined {
  const { place } = raw;
  const name = raw.values.name ?? '';
  if (name !== '') checkFieldName(name, place, faults);
  else if (!raw.faulty.has('name')) {
    faults.add('field.name.required', below(place, 'name'));
  }
  const type = checkType(raw, faults);
  if (type === undefined) return undefined;
  const context: FieldContext = { raw, type, place, faults };
  const size = checkSize(context);
  const enums = checkEnums(context);
  const db = checkColumn(context);
  checkFlags(context);
  checkTexts(context);
  checkDefault(
    context,
    size,
    enums?.map((entry) => entry.value),
  );
  const relation = checkRelationMember(context);
  const file = checkFile(context);
  if (type === 'file' && place.schema === undefined) faults.add('field.file.schema.required', place);
  const isInvalid = type === 'relation' && relation === undefined;
  if (name === '' || isInvalid) return undefined;
  return { place, relation, definition: canonicalField(raw, { type, name, size, enums, db, file, relation }) };
}

/** Checks the name of a field. Column names are checked separately. */
function checkFieldName(name: string, place: Place, faults: FaultList): void {
  const at = below(place, 'name');
  const reason = reservedMember(name);
  if (!isPlainIdentifier(name)) faults.add('field.name.invalid', at, { params: { name } });
  else if (reason) faults.add('field.name.reserved', at, { params: { name, reason } });
  if (isTooLong(name)) faults.add('field.name.too_long', at, { params: { limit: SCHEMA_LIMITS.identifierBytes } });
}

function checkType(raw: RawField, faults: FaultList): FieldType | undefined {
  const at = below(raw.place, 'type');
  if (!raw.type) {
    if (!raw.faulty.has('type')) faults.add('field.type.missing', at);
    return undefined;
  }
  const type = canonicalType(raw.type);
  if (type === undefined) {
    const params = { type: raw.type, available: FIELD_TYPE_NAMES.join(', ') };
    faults.add('field.type.invalid', at, { params, suggestion: nearName(raw.type, typeNames()) });
  }
  return type;
}

function checkRelationMember(context: FieldContext): CheckedRelation | undefined {
  const { raw, type, place, faults } = context;
  if (type !== 'relation') {
    if (raw.relation !== undefined) reportMember(context, 'field.relation.not_allowed', ['relation']);
    return undefined;
  }
  if (raw.relation !== undefined && raw.relation !== 'unusable') return checkRelation(raw.relation, place, faults);
  if (!raw.faulty.has('relation')) reportMember(context, 'field.relation.required', ['relation']);
  return undefined;
}

interface CanonicalParts extends Pick<FieldDefinition, 'type' | 'name' | 'size' | 'enums' | 'db' | 'file'> {
  readonly relation: CheckedRelation | undefined;
}

/** Returns the field with its canonical type, and without empty or default members. */
function canonicalField(raw: RawField, parts: CanonicalParts): FieldDefinition {
  const { values } = raw;
  const relation = parts.relation?.values;
  return withoutUndefined<FieldDefinition>({
    type: parts.type,
    name: parts.name,
    label: values.label || undefined,
    size: parts.size,
    unique: values.unique || undefined,
    optional: values.optional || undefined,
    default: values.default,
    immutable: values.immutable || undefined,
    setter: values.setter || undefined,
    getter: values.getter || undefined,
    sortable: values.sortable === false ? false : undefined,
    filterable: values.filterable === false ? false : undefined,
    searchable: values.searchable || undefined,
    multiple: values.multiple || undefined,
    file: parts.file,
    enums: parts.enums,
    relation: relation && isComplete(relation) ? relation : undefined,
    renderer: values.renderer,
    db: parts.db,
  });
}

function isComplete(relation: Partial<RelationDefinition>): relation is RelationDefinition {
  return relation.schema !== undefined && relation.field !== undefined && relation.type !== undefined;
}

function checkEnums(context: FieldContext): readonly EnumValueDefinition[] | undefined {
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
