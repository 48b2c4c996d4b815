import { ApiError } from '../../api/api-error.js';
import { lineOf, pathOf, type Place, placeOf, withName, withValue } from './definition-text.js';

/** One fault of a definition, as the service tells it. */
export interface SchemaFault {
  /** Stable (docs/errors.md). */
  readonly code: string;
  readonly message: string;
  /** Name of the schema that it is of. */
  readonly schema: string;
  readonly field?: string;
  /** JSON pointer into the definition (RFC 6901). */
  readonly path?: string;
  /** A value that would be right at the pointer; of a member that is none, its name. */
  readonly suggestion?: string;
}

/** A fault with where it stands. */
export interface PlacedFault extends SchemaFault {
  readonly place: Place;
  /** From 1. */
  readonly line: number;
}

/** The faults of what is edited, and those of other schemas that it causes. */
export interface SortedFaults {
  readonly own: readonly PlacedFault[];
  readonly elsewhere: readonly SchemaFault[];
}

/** Ending of the codes of members that are none. */
const UNKNOWN_MEMBER = '.property.unknown';

/** Returns the faults that a refusal tells of; null if it is another refusal. */
export function schemaFaults(error: unknown): readonly SchemaFault[] | null {
  if (!(error instanceof ApiError) || error.code !== 'schema_invalid') return null;
  const told = error.data['field_errors'];
  return Array.isArray(told) ? (told as SchemaFault[]) : [];
}

/** Puts faults to their lines. */
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

/** Returns the text with what a fault suggests: a value at its pointer or, of a member that nobody knows, a name for it. */
export function withSuggestion(text: string, { code, path, suggestion }: SchemaFault): string {
  if (path === undefined || suggestion === undefined) return text;
  return code.endsWith(UNKNOWN_MEMBER)
    ? withName(text, pathOf(path), suggestion)
    : withValue(text, pathOf(path), suggestion);
}

/** Returns whether a fault is at a place or, where its pointer ends with a slash, at anything in it. */
export const isAt = (path: string, place: string): boolean =>
  place.endsWith('/') ? path.startsWith(place) : path === place;
