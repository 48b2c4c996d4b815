import { comparePointers } from './json-pointer.js';
import { makeFault, type FaultDetails, type SchemaFault } from './schema-fault.js';
import type { SchemaFaultCode } from './schema-fault-codes.js';

/** Where a node of a definition stands: what every fault about it shares. */
export interface Place {
  /** Position of the schema among all that are judged; submitted ones come first. */
  readonly rank: number;
  /** False for a schema that was there before: its faults carry no path. */
  readonly submitted: boolean;
  readonly source?: string;
  readonly schema?: string;
  readonly field?: string;
  readonly index?: number;
  /** JSON Pointer of the node. */
  readonly path: string;
}

/** Collects the faults of all stages and answers them in document order, each once. */
export class FaultList {
  private readonly entries = new Map<string, { fault: SchemaFault; place: Place }>();

  /** Adds one fault about the node at `place`; `path` in the details replaces the node's own. */
  add(code: SchemaFaultCode, place: Place, details: FaultDetails = {}): void {
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
    const key = [place.rank, code, path, fault.field ?? '', fault.message].join('\n');
    if (!this.entries.has(key)) this.entries.set(key, { fault, place: { ...place, path } });
  }

  get size(): number {
    return this.entries.size;
  }

  /** All faults: by schema, then by place in the document, then by code. */
  sorted(): readonly SchemaFault[] {
    return [...this.entries.values()].sort(compareEntries).map((entry) => entry.fault);
  }
}

interface Entry {
  readonly fault: SchemaFault;
  readonly place: Place;
}

function compareEntries(left: Entry, right: Entry): number {
  const byPlace = left.place.rank - right.place.rank || comparePointers(left.place.path, right.place.path);
  if (byPlace !== 0 || left.fault.code === right.fault.code) return byPlace;
  return left.fault.code < right.fault.code ? -1 : 1;
}
