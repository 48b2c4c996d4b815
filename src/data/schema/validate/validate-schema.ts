import { below, type FaultList, unknownName } from '../codes/fault-list.js';
import { fieldType } from '../../model/field-types.js';
import {
  RENAME_MEMBERS,
  SCHEMA_MEMBERS,
  checkText,
  DefinitionNode,
  describeJson,
  withinLimit,
} from '../definition/definition-node.js';
import type { SubmittedSchema } from '../definition/read-submission.js';
import type { FieldDefinition, RenameDefinition, SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { SystemSchema, SystemSchemas } from '../../../kernel/system-schema.js';
import { checkIndexes } from './check-indexes.js';
import { reservedSchemaName, reservedTable } from '../../model/identifiers.js';
import {
  AUTOMATIC_TIMES,
  automaticFields,
  checkedField,
  type CheckedField,
  CheckedSchema,
  EVERY_NAME,
} from './checked-schema.js';
import { checkName, type SubmittedField, validateField } from './validate-field.js';
import { isDeepStrictEqual } from 'node:util';
import { withoutUndefined } from '../../model/plain-record.js';

type SchemaNode = DefinitionNode<typeof SCHEMA_MEMBERS>;

/** Checks one schema. Returns valid parts even if there are errors, so that links are checked in the same run. */
export function validateSchema(
  { json, location: document }: SubmittedSchema,
  systemSchemas: SystemSchemas,
  faults: FaultList,
): CheckedSchema {
  const location = { ...document, schema: json['name'] && typeof json['name'] === 'string' ? json['name'] : undefined };
  checkText(json, location, faults);
  const node = new DefinitionNode(json, SCHEMA_MEMBERS, 'schema', location, faults);
  const { values } = node;
  const name = values.name ?? '';
  const system = systemSchemas.get(name);
  checkOwnNames(node, name, system);
  const submitted = withinLimit('fields', values.fields ?? [], node.at('fields'), faults)
    .map((field, index) => validateField(field, index, node))
    .filter((field) => field !== undefined);
  const { readable, invalid } = readableFields(node, submitted, system);
  const declared = system ? withSystemFields(readable, system, node) : readable;
  const fields = new Map(declared.map((field) => [field.definition.name, field]));
  const automatic = automaticFields(values, fields, system);
  const automaticField = (field: FieldDefinition) => [field.name, checkedField(location, field)] as const;
  const all = new Map([...automatic.before.map(automaticField), ...fields, ...automatic.after.map(automaticField)]);
  const input = { node, submitted, fields: all, invalid, system };
  checkLabelField(input);
  checkPrimaryField(input);
  const indexes = checkIndexes(node, { fields: all, invalid });
  const definition: SchemaDefinition = {
    name,
    namespace: system?.definition.namespace ?? values.namespace ?? '',
    label_field: system?.definition.label_field ?? values.label_field ?? '',
    ...(values.primary_field ? { primary_field: values.primary_field } : {}),
    ...(values.disable_timestamp ? { disable_timestamp: true } : {}),
    ...readAudit(node, system),
    fields: [...fields.values()].map((field) => field.definition),
    ...(indexes.length > 0 ? { db: { indexes } } : {}),
  };
  return new CheckedSchema({ location, definition, fields, invalid, system, renames: readRenames(node) });
}

function readRenames(node: SchemaNode): RenameDefinition | undefined {
  if (node.values.renames === undefined) return undefined;
  const renames = node.child(node.values.renames, RENAME_MEMBERS, 'renames');
  const fields = new Map<string, string>();
  for (const [old, name] of Object.entries(renames.values.fields ?? {})) {
    if (typeof name === 'string') fields.set(old, name);
    else renames.reportType(['fields', old], 'text', name, old);
  }
  return { schema: renames.values.schema, fields };
}

function checkOwnNames(node: SchemaNode, name: string, system: SystemSchema | undefined): void {
  const { namespace, disable_timestamp } = node.values;
  if (name !== '') checkName(node, 'schema.name', name, reservedSchemaName);
  else node.reportMissing('schema.name.required', 'name');
  if (system) {
    const fixed = system.definition.namespace;
    if (namespace && namespace !== fixed) node.report('schema.namespace.system_schema', 'namespace', { fixed });
    if (disable_timestamp) node.report('schema.disable_timestamp.system_schema', 'disable_timestamp');
  } else if (namespace) {
    checkName(node, 'schema.namespace', namespace, reservedTable);
  } else {
    node.reportMissing('schema.namespace.required', 'namespace');
  }
}

interface KeyFieldInput {
  readonly node: SchemaNode;
  readonly submitted: readonly SubmittedField[];
  readonly fields: ReadonlyMap<string, Pick<CheckedField, 'definition'>>;
  readonly invalid: CheckedSchema['invalid'];
  readonly system: SystemSchema | undefined;
}

/** Checks `label_field`: a string or text field, or `id`. */
function checkLabelField({ node, fields, invalid, system }: KeyFieldInput): void {
  const name = node.values.label_field;
  const fixed = system?.definition.label_field;
  if (!name) {
    if (!fixed) node.reportMissing('schema.label_field.required', 'label_field');
  } else if (fixed) {
    if (name !== fixed) node.report('schema.label_field.system_schema', 'label_field', { fixed });
  } else if (!invalid.has(name) && !isLabel(fields.get(name)?.definition)) {
    const labels = [...fields.values()].filter(({ definition }) => isLabel(definition));
    const { params, suggestion } = unknownName(
      name,
      labels.map(({ definition }) => definition.name),
    );
    node.report('schema.label_field.not_found', 'label_field', params, { suggestion });
  }
}

/** A label must be readable text. The automatic `id` is always allowed. */
function isLabel(field: FieldDefinition | undefined): boolean {
  return field !== undefined && (field.name === 'id' || field.type === 'string' || field.type === 'text');
}

/** Checks `primary_field`: a required field of a type that supports keys. */
function checkPrimaryField({ node, submitted, fields, invalid, system }: KeyFieldInput): void {
  const name = node.values.primary_field;
  const key = name || 'id';
  if (system) {
    if (key !== 'id') node.report('schema.primary_field.system_schema', 'primary_field', { fixed: 'id' });
    return;
  }
  const position = submitted.find((field) => field.name === key);
  // An empty `primary_field` means none, so only a declared `id` can be the key.
  if (name === '' && position === undefined) return node.report('schema.primary_field.required', 'primary_field');
  if (invalid.has(key)) return;
  const field = fields.get(key)?.definition;
  if (field === undefined) {
    const { params, suggestion } = unknownName(key, [...fields.keys()]);
    return node.report('schema.primary_field.not_found', 'primary_field', params, { suggestion });
  }
  const reason = keyMismatch(field);
  const location = name || !position ? node.at(name ? 'primary_field' : []) : position.location;
  if (reason) node.faults.add('schema.primary_field.invalid', location, { params: { name: key, reason } });
  for (const member of ['default', 'getter'] as const) {
    if (position === undefined || field[member] === undefined) continue;
    const params = { type: 'primary key' };
    node.faults.add(`field.${member}.not_allowed`, below(position.location, member), { params });
  }
}

function keyMismatch(field: FieldDefinition): string | undefined {
  if (!fieldType(field.type).key) return `the type ${field.type} cannot be a key`;
  return field.optional ? 'it is optional' : undefined;
}

/** System schemas are always audited, without values. */
function readAudit(node: SchemaNode, system: SystemSchema | undefined): Pick<SchemaDefinition, 'audit'> {
  const { audit = false } = node.values;
  if (audit === false) return {};
  if (system) node.report('schema.audit.system_schema', 'audit');
  else if (audit === true || audit === 'values') return { audit };
  else node.report('schema.audit.invalid', 'audit', { actual: describeJson(audit) });
  return {};
}

/** Reports duplicate names. The first of two fields with the same name is kept. */
function readableFields(node: SchemaNode, submitted: readonly SubmittedField[], system: SystemSchema | undefined) {
  const readable: CheckedField[] = [];
  const invalid = new Set<string>();
  const isCut = node.faulty.has('fields') || submitted.length >= SCHEMA_LIMITS.fields;
  const usedNames = new Set<string>();
  for (const { name, location, checked } of submitted) {
    if (!system && checked) checkAutomaticName(node, checked);
    if (name !== '' && usedNames.has(name.toLowerCase())) {
      node.faults.add('field.name.duplicate', below(location, 'name'), { params: { name } });
    } else if (checked) {
      readable.push(checked);
    } else if (name !== '') {
      invalid.add(name);
    }
    usedNames.add(name.toLowerCase());
  }
  return { readable, invalid: isCut ? EVERY_NAME : invalid };
}

/** Checks that a declared field such as `created_at` has the type `time`, because it is the automatic one. */
function checkAutomaticName(node: SchemaNode, { definition: { name, type }, location }: CheckedField): void {
  const automatic = AUTOMATIC_TIMES.find((candidate) => candidate.name === name.toLowerCase());
  if (!automatic || node.values.disable_timestamp || (automatic.name === name && type === 'time')) return;
  const reason = `every schema has a timestamp \`${automatic.name}\` unless \`disable_timestamp\``;
  node.faults.add('field.name.reserved', below(location, 'name'), { params: { name, reason } });
}

/** A submitted field of a system schema may differ only in label and renderer. A new field cannot replace a hidden one. */
function withSystemFields(
  submitted: readonly CheckedField[],
  system: SystemSchema,
  { location, faults }: SchemaNode,
): readonly CheckedField[] {
  const byName = new Map(submitted.map((field) => [field.definition.name, field]));
  const own = system.definition.fields.map((definition): CheckedField => {
    const repeated = byName.get(definition.name);
    if (repeated === undefined) return systemField(definition, location);
    byName.delete(definition.name);
    if (!isDeepStrictEqual(meaning(repeated.definition), meaning(definition))) reportChanged(repeated, faults);
    const { label, renderer } = repeated.definition;
    return systemField({ ...definition, ...withoutUndefined({ label, renderer }) }, repeated.location);
  });
  for (const { name } of system.hidden) {
    const clash = byName.get(name);
    if (clash) reportChanged(clash, faults);
  }
  return [...own, ...byName.values()];
}

function systemField(definition: FieldDefinition, location: CheckedField['location']): CheckedField {
  return checkedField({ ...location, field: definition.name }, definition);
}

function reportChanged(field: CheckedField, faults: FaultList): void {
  faults.add('field.system.changed', field.location, { params: { name: field.definition.name } });
}

function meaning({ label: _label, renderer: _renderer, ...rest }: FieldDefinition): object {
  return rest;
}
