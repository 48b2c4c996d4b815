import { below, type FaultList, type Place } from '../codes/fault-list.js';
import { describeJson } from '../definition/read-members.js';
import type { RawSchema } from '../definition/definition-members.js';
import type { FieldDefinition, SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { SystemSchema, SystemSchemas } from '../../../kernel/system-schema.js';
import { checkIndexes } from './check-indexes.js';
import { checkLabelField, checkPrimaryField, AUTOMATIC_TIMES, automaticFields } from './check-key-fields.js';
import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { reservedSchemaName, reservedTable } from '../../model/reserved-words.js';
import { EVERY_NAME, type CheckedField, type CheckedSchema } from './checked-schema.js';
import { validateField } from './validate-field.js';
import { isDeepStrictEqual } from 'node:util';
import { withoutUndefined } from '../../model/plain-record.js';

/** Checks one schema. Returns valid parts even if there are errors, so that links are checked in the same run. */
export function validateSchema(raw: RawSchema, systemSchemas: SystemSchemas, faults: FaultList): CheckedSchema {
  const name = raw.values.name ?? '';
  const system = systemSchemas.get(name);
  checkOwnNames(raw, name, system, faults);
  const { readable, invalid } = readableFields(raw, system, faults);
  const declared = system ? withSystemFields(readable, system, raw.place, faults) : readable;
  const fields = new Map(declared.map((field) => [field.definition.name, field]));
  const all = withAutomaticFields(raw, fields, system);
  const definitions = new Map([...all].map(([field, checked]) => [field, checked.definition]));
  const input = { raw, fields: definitions, invalid, system, faults };
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
  else if (!raw.faulty.has('name')) faults.add('schema.name.required', below(place, 'name'));
  if (system) {
    checkSystemSchema(raw, system, faults);
  } else if (raw.values.namespace) {
    checkNamespace(raw.values.namespace, place, faults);
  } else if (!raw.faulty.has('namespace')) {
    faults.add('schema.namespace.required', below(place, 'namespace'));
  }
}

function checkSchemaName(name: string, place: Place, faults: FaultList): void {
  const at = below(place, 'name');
  if (!isPlainIdentifier(name)) faults.add('schema.name.invalid', at, { params: { name } });
  else if (reservedSchemaName(name)) faults.add('schema.name.reserved', at, { params: { name } });
  if (isTooLong(name)) faults.add('schema.name.too_long', at, { params: { limit: SCHEMA_LIMITS.identifierBytes } });
}

function checkNamespace(name: string, place: Place, faults: FaultList): void {
  const at = below(place, 'namespace');
  if (!isPlainIdentifier(name)) faults.add('schema.namespace.invalid', at, { params: { name } });
  else if (reservedTable(name)) faults.add('schema.namespace.reserved', at, { params: { name } });
  if (isTooLong(name))
    faults.add('schema.namespace.too_long', at, { params: { limit: SCHEMA_LIMITS.identifierBytes } });
}

/** System schemas are always audited, without values. */
function readAudit(
  { values: { audit = null }, place }: RawSchema,
  system: SystemSchema | undefined,
  faults: FaultList,
): Pick<SchemaDefinition, 'audit'> {
  if (audit === null || audit === false) return {};
  const at = below(place, 'audit');
  if (system) faults.add('schema.audit.system_schema', at);
  else if (audit === true || audit === 'values') return { audit };
  else faults.add('schema.audit.invalid', at, { params: { actual: describeJson(audit) } });
  return {};
}

/** Checks all fields and reports duplicate names. The first of two fields with the same name is kept. */
function readableFields(raw: RawSchema, system: SystemSchema | undefined, faults: FaultList) {
  const readable: CheckedField[] = [];
  const invalid = new Set<string>();
  const isCut = raw.faulty.has('fields') || raw.fields.length >= SCHEMA_LIMITS.fields;
  const taken = new Set<string>();
  for (const rawField of raw.fields) {
    const field = validateField(rawField, faults);
    const name = rawField.values.name ?? '';
    if (!system) checkAutomaticName(raw, field, faults);
    if (name !== '' && taken.has(name.toLowerCase())) {
      faults.add('field.name.duplicate', below(rawField.place, 'name'), { params: { name } });
    } else if (field) {
      readable.push(field);
    } else if (name !== '') {
      invalid.add(name);
    }
    taken.add(name.toLowerCase());
  }
  return { readable, invalid: isCut ? EVERY_NAME : invalid };
}

/** Checks that a declared field such as `created_at` has the type `time`, because it is the automatic one. */
function checkAutomaticName(raw: RawSchema, field: CheckedField | undefined, faults: FaultList): void {
  if (field === undefined || raw.values.disable_timestamp) return;
  const { name, type } = field.definition;
  const automatic = AUTOMATIC_TIMES.find((candidate) => candidate.name === name.toLowerCase());
  if (automatic === undefined || (automatic.name === name && type === 'time')) return;
  const reason = `every schema has a time \`${automatic.name}\` unless \`disable_timestamp\``;
  faults.add('field.name.reserved', below(field.place, 'name'), { params: { name, reason } });
}

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

function checkSystemSchema(raw: RawSchema, system: SystemSchema, faults: FaultList): void {
  const { values, place } = raw;
  const fixed = system.definition.namespace;
  if (values.namespace && values.namespace !== fixed) {
    faults.add('schema.namespace.system_schema', below(place, 'namespace'), { params: { fixed } });
  }
  if (values.disable_timestamp) {
    faults.add('schema.disable_timestamp.system_schema', below(place, 'disable_timestamp'));
  }
}

/** A submitted field of a system schema may differ only in label and renderer. A new field cannot replace a hidden one. */
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
