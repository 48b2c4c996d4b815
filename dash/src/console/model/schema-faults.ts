import { ApiError } from '../../api/api-error.js';
import { lineOf, pathOf, type TextRange, rangeOf, withName, withValue } from './definition-text.js';

export interface SchemaFault {
  /** Stable error code (docs/reference/errors.md). */
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

export interface LocatedFault extends SchemaFault {
  readonly range: TextRange;
  /** Line number, from 1. */
  readonly line: number;
}

export interface SortedFaults {
  readonly own: readonly LocatedFault[];
  readonly elsewhere: readonly SchemaFault[];
}

const UNKNOWN_MEMBER = '.property.unknown';

export function schemaFaults(error: unknown): readonly SchemaFault[] | null {
  if (!(error instanceof ApiError) || error.code !== 'schema_invalid') return null;
  const faults = error.data['field_errors'];
  return Array.isArray(faults) ? (faults as SchemaFault[]) : [];
}

export function sortFaults(text: string, name: string, faults: readonly SchemaFault[]): SortedFaults {
  const own: LocatedFault[] = [];
  const elsewhere: SchemaFault[] = [];
  for (const fault of faults) {
    const range = fault.schema === name && fault.path !== undefined ? rangeOf(text, fault.path) : null;
    if (range === null) elsewhere.push(fault);
    else own.push({ ...fault, range, line: lineOf(text, range.from) });
  }
  return { own: own.sort((one, other) => one.range.from - other.range.from), elsewhere };
}

/** Applies the suggestion of a fault: replaces the value, or renames an unknown member. */
export function withSuggestion(text: string, { code, path, suggestion }: SchemaFault): string {
  if (path === undefined || suggestion === undefined) return text;
  return code.endsWith(UNKNOWN_MEMBER)
    ? withName(text, pathOf(path), suggestion)
    : withValue(text, pathOf(path), suggestion);
}

/** Returns whether a pointer equals a place. A place with a trailing slash matches its nested values. */
export const isPathAt = (path: string, pointer: string): boolean =>
  pointer.endsWith('/') ? path.startsWith(pointer) : path === pointer;
