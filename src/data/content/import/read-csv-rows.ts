import { type CsvError, parse, type Parser } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';
import type { SchemaContext } from '../content-context.service.js';
import type { ImportQuery } from '../request/parse-import-query.js';
import { CellFault, type CsvColumn, csvColumn, type CsvReading, headerFaults } from './csv-columns.js';
import type { ImportFaults } from './import-faults.js';
import { type ImportBytes, type ImportRow, MOST_RECORD_BYTES } from './import-row.types.js';

/** By their places; null for what is not read. */
type Columns = readonly (CsvColumn | null)[];
type Cells = readonly (string | null)[];

/** What is parsed at a stretch. */
const SLICE_BYTES = 16_384;

/** Stands in a cell where bytes were no UTF-8. */
const REPLACEMENT = '�';

/** Reads CSV (RFC 4180) with a header. What comes behind a quotation mark that cannot stand where it does is not read. */
export async function* readCsvRows(
  bytes: ImportBytes,
  context: SchemaContext,
  { delimiter, ...reading }: CsvReading & Pick<ImportQuery, 'delimiter'>,
  faults: ImportFaults,
): AsyncGenerator<ImportRow> {
  const state: CsvState = { isUtf8: true, broken: null };
  let columns: Columns | null = null;
  let row = 0;
  for await (const records of recordsIn(watched(bytes, state), delimiter, state))
    for (const record of records) {
      row += 1;
      if (state.broken !== null && row >= state.broken.row) break;
      if (!state.isUtf8) noteEncoding(row, record, columns, faults);
      const read = columns === null ? null : csvRow(row, record, columns, faults);
      columns ??= columnsOf(record, context, reading, faults);
      if (read !== null) yield read;
    }
  if (state.broken !== null) faults.addWhole(state.broken.row, ...told(state.broken.error));
  else if (columns === null) faults.addWhole(1, 'required', 'has no header');
}

/** What is known of a file while it is read. */
interface CsvState {
  isUtf8: boolean;
  /** The first record that is none. */
  broken: { readonly row: number; readonly error: CsvError } | null;
}

function told({ code }: CsvError): [code: string, message: string] {
  if (code === 'CSV_MAX_RECORD_SIZE') return ['too_long', `has more than ${MOST_RECORD_BYTES} bytes`];
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
  return ['csv_malformed', `has a quotation mark ${isOpen ? 'that is not closed' : 'where none can stand'}`];
}

/** Yields records, some at a time. An empty cell is null, unless it is one of quotes. */
async function* recordsIn(
  slices: AsyncIterable<Uint8Array>,
  delimiter: string,
  state: CsvState,
): AsyncGenerator<readonly Cells[]> {
  const parser = parse({
    bom: true,
    delimiter,
    raw: true,
    relax_column_count: true,
    max_record_size: MOST_RECORD_BYTES,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error !== undefined) state.broken ??= { row: Number(error['records']) + 1, error };
    },
  });
  // Told to who asks for what is left.
  parser.on('error', () => undefined);
  const cells = ({ record, raw }: ParsedRecord): Cells =>
    raw.includes('""') ? quotedCells(raw, delimiter) : record.map(orNull);
  for await (const slice of slices) {
    parser.write(slice);
    yield [...recordsOf(parser)].map(cells);
  }
  parser.end();
  for await (const record of parser as AsyncIterable<ParsedRecord>) yield [cells(record)];
}

/** What is parsed by now. To ask for each by an event of its own takes a third of the time of all. */
function* recordsOf(parser: Parser): Generator<ParsedRecord> {
  for (;;) {
    const record = parser.read() as ParsedRecord | null;
    if (record === null) return;
    yield record;
  }
}

/** A record with the text that it was made of. */
interface ParsedRecord {
  readonly record: readonly string[];
  readonly raw: string;
}

function orNull(cell: string): string | null {
  return cell === '' ? null : cell;
}

/** Reads a record once more and asks of each cell whether it is one of quotes, which takes seven times as long. */
function quotedCells(raw: string, delimiter: string): Cells {
  const [cells = []] = parseAll(raw, {
    bom: true,
    delimiter,
    relax_column_count: true,
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  }) as readonly Cells[];
  return cells;
}

function columnsOf(record: Cells, context: SchemaContext, reading: CsvReading, faults: ImportFaults): Columns {
  const headings = record.map((name) => name?.trim() ?? '');
  for (const heading of reading.columns.keys())
    if (!headings.includes(heading))
      faults.add(1, { field: heading, code: 'unknown_column', message: 'is no column of the file' });
  const names = headings.map((heading) =>
    reading.columns.has(heading) ? (reading.columns.get(heading) ?? null) : heading,
  );
  for (const fault of headerFaults(names)) faults.add(1, fault);
  return names.map((name) => {
    if (name === null) return null;
    const column = csvColumn(context, name, reading);
    if (column === null && name !== '')
      faults.add(1, { field: name, code: 'unknown_field', message: 'is not a field that you can write' });
    return column;
  });
}

/** A record as a row; null for a line that is empty. */
function csvRow(row: number, cells: Cells, columns: Columns, faults: ImportFaults): ImportRow | null {
  const isBlank = cells.length === 1 && cells[0] === null;
  if (isBlank && columns.length > 1) return null;
  if (cells.length !== columns.length) {
    faults.addWhole(row, 'columns_mismatch', `has ${cells.length} cells where the header has ${columns.length}`);
    return { row, body: undefined, size: 0 };
  }
  const body: Record<string, unknown> = {};
  let size = 0;
  for (const [at, column] of columns.entries()) {
    const cell = cells[at] ?? null;
    size += cell?.length ?? 1;
    if (column === null) continue;
    const { field } = column;
    try {
      const value = column.read(cell);
      if (value !== undefined) body[field] = value;
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      faults.add(row, { field, code: 'value_invalid', message: error.message });
      // It is there, whatever it is: what else is wrong is looked for.
      body[field] = null;
    }
  }
  return { row, body, size };
}

function noteEncoding(row: number, cells: Cells, columns: Columns | null, faults: ImportFaults): void {
  const message = 'is not UTF-8';
  for (const [at, cell] of cells.entries())
    if (cell?.includes(REPLACEMENT) === true)
      faults.add(row, { field: columns?.[at]?.field ?? faults.whole, code: 'encoding_invalid', message });
}

/**
 * Passes bytes on, a few at a time, and notes whether they are UTF-8 so far. What comes behind a record that is none is counted by whoever
 * gives the bytes, and not parsed: of each slice of a record that is too long the parser would make an error that holds all of it.
 */
async function* watched(bytes: ImportBytes, state: CsvState): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const look = (chunk?: Uint8Array): void => {
    try {
      if (state.isUtf8) decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      state.isUtf8 = false;
    }
  };
  for await (const chunk of bytes) {
    if (state.broken !== null) continue;
    look(chunk);
    for (let from = 0; from < chunk.length && state.broken === null; from += SLICE_BYTES)
      yield chunk.subarray(from, from + SLICE_BYTES);
  }
  look();
}
