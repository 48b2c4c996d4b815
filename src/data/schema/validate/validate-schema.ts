import { type FaultList, jsonPointer } from '../codes/fault-list.js';
import { describeJson } from '../definition/read-members.js';
import type { RawSchema } from '../definition/definition-members.js';
import type { FieldDefinition, SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { SystemSchema, SystemSchemas } from '../../../kernel/system-schema.js';
import { checkIndexes } from './check-indexes.js';
import { checkLabelField, checkPrimaryField, AUTOMATIC_TIMES, automaticFields } from './check-key-fields.js';
import { checkNamespace, checkSchemaName, EVERY_NAME } from './check-names.js';
import type { CheckedField, CheckedSchema } from './checked-schema.types.js';
import { validateField } from './validate-field.js';
import { isDeepStrictEqual } from 'node:util';
import { withoutUndefined } from '../../model/plain-record.js';

/**
 * Judges one schema by itself and collects every fault. What could be read is answered even if there are faults, so
 * that the links between schemas are judged in the same go.
 */
export function validateSchema(raw: RawSchema, systemSchemas: SystemSchemas, faults: FaultList): CheckedSchema {
  const name = raw.values.name ?? '';
  const system = systemSchemas.get(name);
  checkOwnNames(raw, name, system, faults);
  const { readable, invalid } = readableFields(raw, system, faults);
  const declared = system ? withSystemFields(readable, system, raw.place, faults) : readable;
  const fields = new Map(declared.map((field) => [field.definition.name, field]));
  const all = withAutomaticFields(raw, fields, system);
  const input = { raw, fields: definitionsOf(all), invalid, system, faults };
  checkLabelField(input);
  checkPrimaryField(input);
  const indexes = checkIndexes(raw.indexes, { fields: all, invalid }, faults);
  const definition: SchemaDefinition = {
    name,
    namespace: system?.definition.namespace ?? raw.values.namespace ?? '',
    label_field: system?.definition.label_field ?? raw.values.label_field ?? '',
    ...(raw.values.primary_field ? { primary_field: raw.values.primary_field } : {}),
    ...(raw.values.disable_timestamp ? { disable_timestamp: true } : {}),
    ...readAudit(raw, system, faults),
    fields: [...fields.values()].map((field) => field.definition),
    ...(indexes.length > 0 ? { db: { indexes } } : {}),
  };
  return { place: raw.place, definition, fields, invalid, system, renames: raw.renames };
}

function checkOwnNames(raw: RawSchema, name: string, system: SystemSchema | undefined, faults: FaultList): void {
  const { place } = raw;
  if (name !== '') checkSchemaName(name, place, faults);
  else if (!raw.faulty.has('name'))
    faults.add('schema.name.required', place, { path: jsonPointer(place.path, 'name') });
  if (system) {
    checkSystemSchema(raw, system, faults);
  } else if (raw.values.namespace) {
    checkNamespace(raw.values.namespace, place, faults);
  } else if (!raw.faulty.has('namespace')) {
    faults.add('schema.namespace.required', place, { path: jsonPointer(place.path, 'namespace') });
  }
}

/** Records of system schemas are told of anyway, and never with their values. */
function readAudit(
  { values: { audit = null }, place }: RawSchema,
  system: SystemSchema | undefined,
  faults: FaultList,
): Pick<SchemaDefinition, 'audit'> {
  if (audit === null || audit === false) return {};
  const path = jsonPointer(place.path, 'audit');
  if (system) faults.add('schema.audit.system_schema', place, { path });
  else if (audit === true || audit === 'values') return { audit };
  else faults.add('schema.audit.invalid', place, { path, params: { actual: describeJson(audit) } });
  return {};
}

/** Judges every field, and names that are used twice; of two fields with one name the first stays. */
function readableFields(raw: RawSchema, system: SystemSchema | undefined, faults: FaultList) {
  const readable: CheckedField[] = [];
  const invalid = new Set<string>();
  const isCut = raw.faulty.has('fields') || raw.fields.length >= SCHEMA_LIMITS.fields;
  const taken = new Set<string>();
  for (const rawField of raw.fields) {
    const field = validateField(rawField, faults);
    const name = rawField.values.name ?? '';
    const path = jsonPointer(rawField.place.path, 'name');
    if (!system) checkAutomaticName(raw, field, faults);
    if (name !== '' && taken.has(name.toLowerCase())) {
      faults.add('field.name.duplicate', rawField.place, { path, params: { name } });
    } else if (field) {
      readable.push(field);
    } else if (name !== '') {
      invalid.add(name);
    }
    taken.add(name.toLowerCase());
  }
  return { readable, invalid: isCut ? EVERY_NAME : invalid };
}

/** Checks a declared `created_at`: it is the automatic one, so it has to be a time. */
function checkAutomaticName(raw: RawSchema, field: CheckedField | undefined, faults: FaultList): void {
  if (field === undefined || raw.values.disable_timestamp) return;
  const { name, type } = field.definition;
  const automatic = AUTOMATIC_TIMES.find((candidate) => candidate.name === name.toLowerCase());
  if (automatic === undefined || (automatic.name === name && type === 'time')) return;
  const reason = `every schema has a time \`${automatic.name}\` unless \`disable_timestamp\``;
  const path = jsonPointer(field.place.path, 'name');
  faults.add('field.name.reserved', field.place, { path, params: { name, reason } });
}

/** Returns the declared fields and, before and after them, those that the schema has without declaring them. */
function withAutomaticFields(
  raw: RawSchema,
  fields: ReadonlyMap<string, CheckedField>,
  system: SystemSchema | undefined,
): ReadonlyMap<string, CheckedField> {
  const automatic = automaticFields({
    system: system !== undefined,
    primaryField: raw.values.primary_field === '' ? 'none' : raw.values.primary_field,
    timestamps: !raw.values.disable_timestamp,
    declared: new Set(fields.keys()),
  });
  const entry = (definition: FieldDefinition) => [definition.name, { place: raw.place, definition }] as const;
  return new Map([...automatic.before.map(entry), ...fields, ...automatic.after.map(entry)]);
}

function definitionsOf(fields: ReadonlyMap<string, CheckedField>): ReadonlyMap<string, FieldDefinition> {
  return new Map([...fields].map(([name, field]) => [name, field.definition]));
}

/** Judges what a submission says about a system schema itself: its namespace and timestamps are fixed. */
function checkSystemSchema(raw: RawSchema, system: SystemSchema, faults: FaultList): void {
  const { values, place } = raw;
  const fixed = system.definition.namespace;
  if (values.namespace && values.namespace !== fixed) {
    const path = jsonPointer(place.path, 'namespace');
    faults.add('schema.namespace.system_schema', place, { path, params: { fixed } });
  }
  if (values.disable_timestamp) {
    faults.add('schema.disable_timestamp.system_schema', place, { path: jsonPointer(place.path, 'disable_timestamp') });
  }
}

/**
 * Returns the fields of a system schema: its own, whether they were submitted or not, and the added ones. A submitted field of its own
 * may differ in label and renderer only; it can be neither changed nor hidden behind a new one.
 */
function withSystemFields(
  submitted: readonly CheckedField[],
  system: SystemSchema,
  place: CheckedField['place'],
  faults: FaultList,
): readonly CheckedField[] {
  const byName = new Map(submitted.map((field) => [field.definition.name, field]));
  const own = system.definition.fields.map((definition): CheckedField => {
    const repeated = byName.get(definition.name);
    if (repeated === undefined) return systemField(definition, place);
    byName.delete(definition.name);
    if (!isDeepStrictEqual(meaning(repeated.definition), meaning(definition))) reportChanged(repeated, faults);
    const { label, renderer } = repeated.definition;
    return systemField({ ...definition, ...withoutUndefined({ label, renderer }) }, repeated.place);
  });
  for (const { name } of system.hidden) {
    const clash = byName.get(name);
    if (clash) reportChanged(clash, faults);
  }
  return [...own, ...byName.values()];
}

function systemField(definition: FieldDefinition, place: CheckedField['place']): CheckedField {
  const { relation } = definition;
  const fieldPlace = { ...place, field: definition.name };
  return {
    place: fieldPlace,
    definition,
    relation: relation && { place: fieldPlace, values: relation, faulty: new Set() },
  };
}

function reportChanged(field: CheckedField, faults: FaultList): void {
  faults.add('field.system.changed', field.place, { params: { name: field.definition.name } });
}

function meaning({ label: _label, renderer: _renderer, ...rest }: FieldDefinition): object {
  return rest;
}
