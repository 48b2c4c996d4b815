import type { SchemaContext } from '../../content-context.service.js';
import type { ImportQuery } from '../../request/parse-import-query.js';
import type { CsvReading } from './csv-columns.js';
import type { CsvParser } from './csv-parser.service.js';
import type { ImportFaults } from '../import-faults.js';
import type { ImportBytes, ImportRow } from './import-row.types.js';
import { readCsvRows } from './read-csv-rows.js';
import { readJsonRows, readNdjsonRows } from './read-json-rows.js';

/** Number of rows per chunk. Larger chunks are hardly faster and delay other requests. */
const CHUNK_ROWS = 100;
const CHUNK_BYTES = 1_000_000;

export function readRows(
  bytes: ImportBytes,
  context: SchemaContext,
  query: CsvReading & Pick<ImportQuery, 'delimiter' | 'encoding' | 'format'>,
  faults: ImportFaults,
  parser: CsvParser,
): AsyncIterable<ImportRow> {
  if (query.format === 'csv') return readCsvRows(bytes, context, query, faults, parser);
  return query.format === 'json' ? readJsonRows(bytes, faults) : readNdjsonRows(bytes, faults);
}

/**
 * Groups rows into chunks.
 *
 * @param most maximum number of rows. Reading stops at the limit, and an error is added.
 */
export async function* inChunks(
  rows: AsyncIterable<ImportRow>,
  most: number,
  faults: ImportFaults,
): AsyncGenerator<readonly ImportRow[]> {
  let left = most;
  let chunk: ImportRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (left === 0) {
      faults.addWhole(row.row, 'too_many', `is more than the ${most} records of one import`);
      break;
    }
    left -= 1;
    chunk.push(row);
    bytes += row.size;
    if (chunk.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
    yield chunk;
    [chunk, bytes] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}
