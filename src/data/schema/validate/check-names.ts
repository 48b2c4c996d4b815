import { type FaultList, type Place, jsonPointer } from '../codes/fault-list.js';
import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { reservedMember, reservedSchemaName, reservedTable } from '../../model/reserved-words.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';

/** Stands for the fields of a schema of which nothing is known, not even how many there are. */
export const EVERY_NAME: NameSet = { has: () => true, [Symbol.iterator]: () => [].values() };

const limit = SCHEMA_LIMITS.identifierBytes;

/** Judges the `name` of a schema. */
export function checkSchemaName(name: string, place: Place, faults: FaultList): void {
  const path = jsonPointer(place.path, 'name');
  if (!isPlainIdentifier(name)) faults.add('schema.name.invalid', place, { path, params: { name } });
  else if (reservedSchemaName(name)) faults.add('schema.name.reserved', place, { path, params: { name } });
  if (isTooLong(name)) faults.add('schema.name.too_long', place, { path, params: { limit } });
}

/** Judges the `namespace` of a schema, which names its table. */
export function checkNamespace(name: string, place: Place, faults: FaultList): void {
  const path = jsonPointer(place.path, 'namespace');
  if (!isPlainIdentifier(name)) faults.add('schema.namespace.invalid', place, { path, params: { name } });
  else if (reservedTable(name)) faults.add('schema.namespace.reserved', place, { path, params: { name } });
  if (isTooLong(name)) faults.add('schema.namespace.too_long', place, { path, params: { limit } });
}

/** Judges the `name` of a field; whether it can name a column is judged where it does. */
export function checkFieldName(name: string, place: Place, faults: FaultList): void {
  const path = jsonPointer(place.path, 'name');
  const reason = reservedMember(name);
  if (!isPlainIdentifier(name)) faults.add('field.name.invalid', place, { path, params: { name } });
  else if (reason) faults.add('field.name.reserved', place, { path, params: { name, reason } });
  if (isTooLong(name)) faults.add('field.name.too_long', place, { path, params: { limit } });
}

/** A set of names. */
export type NameSet = Pick<ReadonlySet<string>, 'has'> & Iterable<string>;
