import type { FaultList, Place } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import type { FaultDetails } from '../codes/schema-fault.js';
import type { SchemaFaultCode } from '../codes/schema-fault-codes.js';
import type { RawField } from '../definition/raw-schema.types.js';
import type { FieldType } from '../../model/field-types.js';

/** What the checks of one field share. */
export interface FieldContext {
  readonly raw: RawField;
  readonly type: FieldType;
  readonly place: Place;
  readonly faults: FaultList;
}

/** Reports a fault of a member of the field. */
export function reportMember(
  { place, faults, type }: FieldContext,
  code: SchemaFaultCode,
  members: readonly (string | number)[],
  details: FaultDetails = {},
): void {
  const params = { type, ...details.params };
  faults.add(code, place, { ...details, path: jsonPointer(place.path, ...members), params });
}
