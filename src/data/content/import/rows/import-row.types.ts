import { defineLimit } from '../../../../kernel/limits.js';

/** A record of a file, as it was read. */
export interface ImportRow {
  /** Place of the record, as {@link RowFault} tells it. */
  readonly row: number;
  /** Body that a single write would be sent; undefined if it cannot be read, which is noted then. */
  readonly body: unknown;
  /** About how many bytes it takes. */
  readonly size: number;
}

/** Bytes of a file as they come. */
export type ImportBytes = AsyncIterable<Uint8Array>;

/** Number of bytes that one record may have: as many as the body of a single write. */
export const MOST_RECORD_BYTES = defineLimit(1_048_576, 'Imports', 'bytes of one record', 'import_invalid');
