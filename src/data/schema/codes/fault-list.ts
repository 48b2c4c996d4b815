import { makeFault, type FaultDetails, type SchemaFault, type SchemaFaultCode } from './schema-fault.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Rank of existing schemas that were not submitted. They sort last, by name. */
export const KEPT_RANK = Number.MAX_SAFE_INTEGER;

export interface Place {
  /** Position in the submission; {@link KEPT_RANK} for other schemas. */
  readonly rank: number;
  /** False for an existing schema that was not submitted. Its errors have no path. */
  readonly submitted: boolean;
  readonly source?: string;
  readonly schema?: string;
  readonly field?: string;
  readonly index?: number;
  readonly path: string;
}

const MAX_FAULTS = defineLimit(1_000, 'Schemas', 'errors that one answer lists', null);

/** Collects the errors of all stages. Returns them in document order without duplicates. */
export class FaultList {
  private readonly entries = new Map<string, { fault: SchemaFault; place: Place }>();

  /** Adds an error at `place`. `path` in the details replaces the path of the place. */
  add(code: SchemaFaultCode, place: Place, details: FaultDetails = {}): void {
    if (this.isFull) return;
    const path = details.path ?? place.path;
    const { schema, field, index, source } = place;
    const fault = makeFault(code, {
      schema,
      field,
      index,
      source,
      ...details,
      path: place.submitted ? path : undefined,
    });
    const key = [place.rank, schema ?? '', code, path, fault.field ?? '', fault.message].join('\n');
    if (!this.entries.has(key)) this.entries.set(key, { fault, place: { ...place, path } });
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
  readonly place: Place;
}

function compareEntries(left: Entry, right: Entry): number {
  const [one, other] = [left.place, right.place];
  return (
    one.rank - other.rank ||
    (one.rank === KEPT_RANK ? compareTexts(one.schema ?? '', other.schema ?? '') : 0) ||
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
  for (const segment of segments) pointer += `/${typeof segment === 'number' ? segment : escaped(segment)}`;
  return pointer;
}

export function below(place: Place, ...segments: readonly (string | number)[]): Place {
  return { ...place, path: jsonPointer(place.path, ...segments) };
}

function escaped(segment: string): string {
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

/** Compares pointers in document order: list entries by number, members in the order of the specification. */
export function comparePointers(left: string, right: string): number {
  const [a, b] = [left.split('/'), right.split('/')];
  for (let depth = 0; depth < Math.min(a.length, b.length); depth += 1) {
    const difference = compareSegments(a[depth] ?? '', b[depth] ?? '');
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareSegments(left: string, right: string): number {
  if (left === right) return 0;
  const [a, b] = [segmentRank(left), segmentRank(right)];
  if (a !== b) return a - b;
  return left < right ? -1 : 1;
}

function segmentRank(segment: string): number {
  if (/^\d+$/.test(segment)) return Number(segment);
  return MEMBER_RANKS.get(segment) ?? MEMBER_ORDER.length;
}
