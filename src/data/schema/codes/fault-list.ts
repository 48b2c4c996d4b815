import { createFault, type FaultDetails, type SchemaFault, type SchemaFaultCode } from './schema-fault.js';
import { defineLimit } from '../../../kernel/limits.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';

/** Rank of existing schemas that were not submitted. They sort last, by name. */
export const UNCHANGED_RANK = Number.MAX_SAFE_INTEGER;

export interface FaultLocation {
  /** Position in the submission; {@link UNCHANGED_RANK} for other schemas. */
  readonly rank: number;
  /** False for an existing schema that was not submitted. Its errors have no path. */
  readonly submitted: boolean;
  readonly source?: string;
  readonly schema?: string;
  readonly field?: string;
  readonly index?: number;
  readonly path: string;
}

const MAX_FAULTS = defineLimit(1_000, 'Schemas', 'errors that one response lists', null);

/** Collects the errors of all stages. Returns them in document order without duplicates. */
export class FaultList {
  private readonly entries = new Map<string, Entry>();

  /** Adds an error at `location`. `path` in the details replaces the path of the place. */
  add(code: SchemaFaultCode, location: FaultLocation, details: FaultDetails = {}): void {
    if (this.isFull) return;
    const path = details.path ?? location.path;
    const { schema, field, index, source } = location;
    const shownPath = location.submitted ? path : undefined;
    const fault = createFault(code, { schema, field, index, source, ...details, path: shownPath });
    const key = [location.rank, schema ?? '', code, path, fault.field ?? '', fault.message].join('\n');
    if (!this.entries.has(key)) this.entries.set(key, { fault, location: { ...location, path } });
  }

  /** True if the maximum number of errors is reached. Further ones are not added. */
  get isFull(): boolean {
    return this.entries.size >= MAX_FAULTS;
  }

  get size(): number {
    return this.entries.size;
  }

  sorted(): readonly SchemaFault[] {
    return [...this.entries.values()].sort(compareEntries).map((entry) => entry.fault);
  }
}

interface Entry {
  readonly fault: SchemaFault;
  readonly location: FaultLocation;
}

function compareEntries(left: Entry, right: Entry): number {
  const [one, other] = [left.location, right.location];
  return (
    one.rank - other.rank ||
    (one.rank === UNCHANGED_RANK ? compareTexts(one.schema ?? '', other.schema ?? '') : 0) ||
    comparePointers(one.path, other.path) ||
    compareTexts(left.fault.code, right.fault.code)
  );
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Appends segments to a JSON Pointer (RFC 6901): `~` becomes `~0`, `/` becomes `~1`. */
export function jsonPointer(base: string, ...segments: readonly (string | number)[]): string {
  let pointer = base;
  for (const segment of segments) pointer += `/${typeof segment === 'number' ? segment : escapePointer(segment)}`;
  return pointer;
}

export function below(location: FaultLocation, ...segments: readonly (string | number)[]): FaultLocation {
  return { ...location, path: jsonPointer(location.path, ...segments) };
}

function escapePointer(segment: string): string {
  return /[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment;
}

/** Members of JSON objects in the order of the checks. Unknown members come last. */
const MEMBER_ORDER = `
  name label_field namespace primary_field disable_timestamp audit fields
  schema type field label value size unique optional default immutable enums relation owner on_delete on_update
  source_column target_column junction_table setter getter sortable filterable searchable multiple renderer
  db column index increment indexes columns renames`
  .trim()
  .split(/\s+/);
const MEMBER_RANKS = new Map(MEMBER_ORDER.map((member, rank) => [member, rank]));

/** Compares pointers in document order: list entries by number, members in the documented order. */
export function comparePointers(left: string, right: string): number {
  const [a, b] = [left.split('/'), right.split('/')];
  for (let depth = 0; depth < Math.min(a.length, b.length); depth += 1) {
    const [one = '', other = ''] = [a[depth], b[depth]];
    const difference = segmentRank(one) - segmentRank(other) || compareTexts(one, other);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function segmentRank(segment: string): number {
  if (/^\d+$/.test(segment)) return Number(segment);
  return MEMBER_RANKS.get(segment) ?? MEMBER_ORDER.length;
}

export function listed(names: readonly string[]): string {
  const listed = names.slice(0, SCHEMA_LIMITS.listedNames).join(', ') || 'none';
  return names.length > SCHEMA_LIMITS.listedNames ? `${listed}, …` : listed;
}

export function unknownName(name: string, names: readonly string[]) {
  return { params: { name, available: listed(names) }, suggestion: nearName(name, names) };
}
