import { ApiError } from '../../api/api-error.js';
import { lineOf, pathOf, type Place, placeOf, withName, withValue } from './definition-text.js';

export interface SchemaFault {
  /** Stable error code (docs/errors.md). */
  readonly code: string;
  readonly message: string;
  /** Name of the affected schema. */
  readonly schema: string;
  readonly field?: string;
  /** JSON pointer into the definition (RFC 6901). */
  readonly path?: string;
  /** Valid value for the pointer; for an unknown member, the correct name. */
  readonly suggestion?: string;
}

export interface PlacedFault extends SchemaFault {
  readonly place: Place;
  /** Line number, from 1. */
  readonly line: number;
}

export interface SortedFaults {
  readonly own: readonly PlacedFault[];
  readonly elsewhere: readonly SchemaFault[];
}

const UNKNOWN_MEMBER = '.property.unknown';

export function schemaFaults(error: unknown): readonly SchemaFault[] | null {
  if (!(error instanceof ApiError) || error.code !== 'schema_invalid') return null;
  const told = error.data['field_errors'];
  return Array.isArray(told) ? (told as SchemaFault[]) : [];
}

export function sortFaults(text: string, name: string, faults: readonly SchemaFault[]): SortedFaults {
  const own: PlacedFault[] = [];
  const elsewhere: SchemaFault[] = [];
  for (const fault of faults) {
    const place = fault.schema === name && fault.path !== undefined ? placeOf(text, fault.path) : null;
    if (place === null) elsewhere.push(fault);
    else own.push({ ...fault, place, line: lineOf(text, place.from) });
  }
  return { own: own.sort((one, other) => one.place.from - other.place.from), elsewhere };
}

/** Applies the suggestion of a fault: replaces the value, or renames an unknown member. */
export function withSuggestion(text: string, { code, path, suggestion }: SchemaFault): string {
  if (path === undefined || suggestion === undefined) return text;
  return code.endsWith(UNKNOWN_MEMBER)
    ? withName(text, pathOf(path), suggestion)
    : withValue(text, pathOf(path), suggestion);
}

/** Returns whether a pointer equals a place. A place with a trailing slash matches its nested values. */
export const isAt = (path: string, place: string): boolean =>
  place.endsWith('/') ? path.startsWith(place) : path === place;
