import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { reservedMember } from '../../model/reserved-words.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { isJsonObject } from '../../../kernel/text/json.js';
import {
  FIELD_MEMBERS,
  type MemberTable,
  type SCHEMA_MEMBERS,
  DefinitionNode,
  describeJson,
  fieldName,
} from '../definition/definition-node.js';
import { canonicalType, FIELD_TYPE_NAMES, typeNames } from '../../model/field-types.js';
import type {
  EnumValueDefinition,
  FieldDefinition,
  FieldType,
  JsonValue,
} from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import { withoutUndefined } from '../../model/plain-record.js';
import {
  childNodes,
  checkColumn,
  checkDefault,
  checkOptions,
  checkLength,
  checkLengths,
  checkSize,
  type FieldContext,
  type FieldNode,
} from './check-field-options.js';
import { checkFile } from './check-file.js';
import { checkRelation } from './check-relation.js';
import type { CheckedField, CheckedRelation } from './checked-schema.js';

export interface SubmittedField extends Pick<CheckedField, 'location'> {
  readonly name: string;
  /** Undefined if the field cannot be used. */
  readonly checked: CheckedField | undefined;
}

/** Checks an entry of `fields`. Returns `undefined` if it is not an object. */
export function validateField(
  json: JsonValue,
  index: number,
  schema: DefinitionNode<typeof SCHEMA_MEMBERS>,
): SubmittedField | undefined {
  if (!isJsonObject(json)) {
    const params = { property: `fields[${index}]`, expected: 'an object', actual: describeJson(json) };
    schema.report('field.property.invalid', ['fields', index], params, { index });
    return undefined;
  }
  const { path } = schema.at(['fields', index]);
  const location = { ...schema.location, path, ...fieldName(json, index) };
  const node = new DefinitionNode(json, FIELD_MEMBERS, 'field', location, schema.faults);
  const name = node.values.name ?? '';
  if (name !== '') checkName(node, 'field.name', name, reservedMember);
  else node.reportMissing('field.name.required', 'name');
  return { name, location, checked: checkedField(node, name) };
}

/** Checks a schema, namespace or field name. Tables and columns are checked separately. */
export function checkName<T extends MemberTable>(
  node: DefinitionNode<T>,
  code: 'schema.name' | 'schema.namespace' | 'field.name',
  name: string,
  reserved: (name: string) => string | undefined,
): void {
  const member = code === 'schema.namespace' ? 'namespace' : 'name';
  const reason = reserved(name);
  if (!isPlainIdentifier(name)) node.report(`${code}.invalid`, member, { name });
  else if (reason) node.report(`${code}.reserved`, member, { name, reason });
  if (isTooLong(name)) node.report(`${code}.too_long`, member, { limit: SCHEMA_LIMITS.identifierBytes });
}

/** Returns the field if its name and type are valid, so that further checks can use it. */
function checkedField(node: FieldNode, name: string): CheckedField | undefined {
  const { location } = node;
  const children = childNodes(node);
  const type = checkType(node);
  if (type === undefined) return undefined;
  const context: FieldContext = { node, type, ...children };
  const size = checkSize(context);
  const enums = checkEnums(context);
  const db = checkColumn(context);
  const values = enums?.map(({ value }) => value);
  checkOptions(context);
  checkLengths(context);
  checkDefault(context, size, values);
  const relation = checkRelationMember(context);
  const file = checkFile(context);
  if (type === 'file' && location.schema === undefined) node.report('field.file.schema.required', []);
  const isInvalid = type === 'relation' && relation === undefined;
  if (name === '' || isInvalid) return undefined;
  return { location, relation, definition: canonicalField(node, { type, name, size, enums, db, file, relation }) };
}

function checkType(node: FieldNode): FieldType | undefined {
  const { type: name } = node.values;
  if (name === undefined || name === '') {
    node.reportMissing('field.type.missing', 'type');
    return undefined;
  }
  if (typeof name !== 'string') {
    node.report('field.type.parse_error', 'type', { actual: describeJson(name) });
    return undefined;
  }
  const type = canonicalType(name);
  const params = { type: name, available: FIELD_TYPE_NAMES.join(', ') };
  if (!type) node.report('field.type.invalid', 'type', params, { suggestion: nearName(name, typeNames()) });
  return type;
}

function checkRelationMember({ node, type, relation }: FieldContext): CheckedRelation | undefined {
  if (type === 'relation' && relation) return checkRelation(relation);
  if (type === 'relation') node.reportMissing('field.relation.required', 'relation');
  else if (node.values.relation !== undefined) node.report('field.relation.not_allowed', 'relation', { type });
  return undefined;
}

interface CanonicalParts extends Pick<FieldDefinition, 'type' | 'name' | 'size' | 'enums' | 'db' | 'file'> {
  readonly relation: CheckedRelation | undefined;
}

/** Returns the field with its canonical type, and without empty or default members. */
function canonicalField({ values }: FieldNode, { relation, ...parts }: CanonicalParts): FieldDefinition {
  const { schema, field, type } = relation?.values ?? {};
  const isComplete = schema !== undefined && field !== undefined && type !== undefined;
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
    relation: isComplete ? { ...relation?.values, schema, field, type } : undefined,
    renderer: values.renderer,
    db: parts.db,
  });
}

function checkEnums({ node, type, enums }: FieldContext): readonly EnumValueDefinition[] | undefined {
  if (type !== 'enum') {
    if (node.values.enums !== undefined && enums?.length !== 0)
      node.report('field.enum.not_allowed', 'enums', { type });
    return undefined;
  }
  if (!enums?.length) {
    node.reportMissing('field.enum.required', 'enums');
    return undefined;
  }
  checkLength(node, 'enums', 'The list of enum values', enums.length, SCHEMA_LIMITS.enums);
  const seen = new Set<string>();
  const usable = enums.flatMap((entry, index): readonly EnumValueDefinition[] => {
    const { value, label } = entry?.values ?? {};
    const path = ['enums', index, 'value'];
    if (typeof value !== 'string' || value === '') {
      if (!entry?.faulty.has('value')) node.report('field.enum.value.required', path, { index });
      return [];
    }
    checkLength(node, path, 'The enum value', Buffer.byteLength(value), SCHEMA_LIMITS.enumValueBytes);
    if (seen.has(value)) node.report('field.enum.value.duplicate', path, { value });
    seen.add(value);
    return [label === undefined ? { value } : { value, label }];
  });
  return usable.length === enums.length ? usable : undefined;
}
