import { isPlainIdentifier, isTooLong, reservedMember, reservedColumn } from '../../model/identifiers.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { isJsonObject } from '../../../kernel/text/json.js';
import {
  FIELD_MEMBERS,
  type MemberTable,
  type SCHEMA_MEMBERS,
  DefinitionNode,
  describeJson,
  fieldName,
  type RELATION_MEMBERS,
} from '../definition/definition-node.js';
import { canonicalType, FIELD_TYPE_NAMES, typeNames } from '../../model/field-types.js';
import type {
  EnumValueDefinition,
  FieldDefinition,
  FieldType,
  JsonValue,
  ErasureAction,
  ReferentialAction,
  RelationDefinition,
  RelationType,
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
  checkFile,
} from './check-field-options.js';
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

type RelationNode = DefinitionNode<typeof RELATION_MEMBERS>;

const TYPES: ReadonlyMap<unknown, RelationType> = new Map([
  ['o2o', 'o2o'],
  ['o2m', 'o2m'],
  ['m2o', 'o2m'],
  ['m2m', 'm2m'],
]);
const ACTIONS: readonly ReferentialAction[] = ['no_action', 'restrict', 'cascade', 'set_null'];
const ERASURES: readonly ErasureAction[] = ['delete', 'keep', 'anonymise'];
const JUNCTION_ACTIONS = ACTIONS.filter((action) => action !== 'set_null');

/** Checks one side of a relation. Invalid members are reported, omitted and listed in `faulty`. */
function checkRelation(node: RelationNode): CheckedRelation {
  const { location, faulty, values } = node;
  const type = TYPES.get(values.type);
  if (!values.schema) requireMember(node, 'schema');
  if (!values.field) requireMember(node, 'field');
  if (type === undefined) requireMember(node, 'type');
  const actions = type === 'm2m' ? JUNCTION_ACTIONS : ACTIONS;
  const relation: Partial<RelationDefinition> = {
    schema: values.schema || undefined,
    field: values.field || undefined,
    type,
    owner: values.owner || undefined,
    optional: values.optional || undefined,
    on_delete: choice(node, 'on_delete', actions),
    on_update: choice(node, 'on_update', actions),
    on_erase: choice(node, 'on_erase', ERASURES),
    source_column: column(node, 'source_column', type !== undefined),
    target_column: column(node, 'target_column', type === 'm2m'),
    junction_table: junctionTable(node, type),
  };
  if (!relation.owner && (type === 'o2o' || type === 'o2m') && !values.source_column) checkDerivedColumn(node);
  return { location, faulty, values: withoutUndefined(relation) };
}

function requireMember(node: RelationNode, member: 'schema' | 'field' | 'type'): void {
  if (!node.faulty.has(member)) node.reject(`field.relation.${member}.required`, member);
}

/** Accepts SQL spelling (`SET NULL`) and returns the canonical form. */
function choice<T extends string>(
  node: RelationNode,
  member: 'on_delete' | 'on_update' | 'on_erase',
  available: readonly T[],
): T | undefined {
  const name = node.values[member]?.toLowerCase().replaceAll(/[ -]/g, '_');
  if (!name) return undefined;
  const match = available.find((candidate) => candidate === name);
  if (!match) node.reject(`relation.${member}.invalid`, member, { available: available.join(', ') });
  return match;
}

function column(node: RelationNode, member: 'source_column' | 'target_column', isColumn: boolean): string | undefined {
  const name = node.values[member];
  if (!name || !isColumn || (isUsable(name) && !reservedColumn(name))) return name || undefined;
  node.reject('relation.column.invalid', member, { name });
  return undefined;
}

function junctionTable(node: RelationNode, type: RelationType | undefined): string | undefined {
  const name = node.values.junction_table;
  const isMisplaced = type !== undefined && type !== 'm2m';
  // Reserved names are checked when tables are linked, because system schemas use tables of the server.
  if (!name || (!isMisplaced && isUsable(name))) return name || undefined;
  if (isMisplaced) node.reject('builder.relation.not_m2m', 'junction_table', { type });
  else node.reject('relation.junction_table.invalid', 'junction_table', { name });
  return undefined;
}

function checkDerivedColumn(node: RelationNode): void {
  const field = node.location.field ?? '';
  const name = `${field}_id`;
  if (!isPlainIdentifier(name) || isTooLong(field) || !isTooLong(name)) return;
  node.reject('relation.column.invalid', 'source_column', { name });
}

function isUsable(name: string): boolean {
  return isPlainIdentifier(name) && !isTooLong(name);
}
