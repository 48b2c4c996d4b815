import { defineLimit } from '../../../../kernel/limits.js';

export interface ImportRow {
  readonly row: number;
  /** Body for a single write; undefined if it cannot be parsed. The error was reported. */
  readonly body: unknown;
  /** Approximate size in bytes. */
  readonly size: number;
}

export type ImportBytes = AsyncIterable<Uint8Array>;

/** Maximum bytes of one record, the same as for the body of a single write. */
export const MOST_RECORD_BYTES = defineLimit(1_048_576, 'Imports', 'bytes of one record', 'import_invalid');
