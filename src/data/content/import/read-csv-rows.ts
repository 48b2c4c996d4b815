import type { SchemaContext } from '../content-context.service.js';
import type { ImportQuery } from '../request/parse-import-query.js';
import { CellFault, type CsvColumn, csvColumn, type CsvReading, headerFaults } from './csv-columns.js';
import type { Cells, CsvParser, ParsedPart } from './csv-parser.service.js';
import type { ImportFaults } from './import-faults.js';
import { type ImportBytes, type ImportRow, MOST_RECORD_BYTES } from './import-row.types.js';

/** By their places; null for what is not read. */
type Columns = readonly (CsvColumn | null)[];

/** Stands in a cell where bytes were no UTF-8. */
const REPLACEMENT = '�';

/** Reads CSV (RFC 4180) with a header. What comes behind a quotation mark that cannot stand where it does is not read. */
export async function* readCsvRows(
  bytes: ImportBytes,
  context: SchemaContext,
  { delimiter, ...reading }: CsvReading & Pick<ImportQuery, 'delimiter'>,
  faults: ImportFaults,
  parser: CsvParser,
): AsyncGenerator<ImportRow> {
  let columns: Columns | null = null;
  let row = 0;
  let broken: ParsedPart['broken'] = null;
  for await (const part of partsOf(bytes, delimiter, parser)) {
    ({ broken } = part);
    for (const record of part.records) {
      row += 1;
      if (broken !== null && row >= broken.row) break;
      if (!part.isUtf8) noteEncoding(row, record, columns, faults);
      const read = columns === null ? null : csvRow(row, record, columns, faults);
      columns ??= columnsOf(record, context, reading, faults);
      if (read !== null) yield read;
    }
  }
  if (broken !== null) faults.addWhole(broken.row, ...told(broken.code));
  else if (columns === null) faults.addWhole(1, 'required', 'has no header');
}

function told(code: string): [code: string, message: string] {
  if (code === 'CSV_MAX_RECORD_SIZE') return ['too_long', `has more than ${MOST_RECORD_BYTES} bytes`];
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
  return ['csv_malformed', `has a quotation mark ${isOpen ? 'that is not closed' : 'where none can stand'}`];
}

/** Yields what has been parsed; the bytes that have come are, while those before them are read. */
async function* partsOf(bytes: ImportBytes, delimiter: string, parser: CsvParser): AsyncGenerator<ParsedPart> {
  const file = parser.open(delimiter);
  let begun: Promise<ParsedPart> | null = null;
  try {
    for await (const chunk of bytes) {
      const next = file.parse(chunk);
      next.catch(() => undefined);
      if (begun !== null) yield await begun;
      begun = next;
    }
    if (begun !== null) yield await begun;
    yield await file.parse(null);
  } finally {
    file.close();
  }
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

/** Returns a record as a row; null for a line that is empty. */
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
