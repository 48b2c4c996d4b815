import { isDeepStrictEqual } from 'node:util';

import type { FaultList } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import type { RawSchema } from '../definition/raw-schema.types.js';
import type { FieldDefinition } from '../../model/schema-definition.types.js';
import type { SystemSchema } from '../../model/system-schemas.js';
import { withoutUndefined } from '../../model/without-undefined.js';
import type { CheckedField } from './checked-schema.types.js';

/** Judges what a submission says about a system schema itself: its namespace and timestamps are fixed. */
export function checkSystemSchema(raw: RawSchema, system: SystemSchema, faults: FaultList): void {
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
 * The fields of a system schema: its own, whether they were submitted or not, and the added ones. A submitted field of
 * its own may differ in label and renderer only; it can be neither changed nor hidden behind a new one.
 */
export function withSystemFields(
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
