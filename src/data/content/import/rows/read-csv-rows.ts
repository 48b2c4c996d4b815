import { CellFault, type CsvColumn, csvColumn, headerFaults } from './csv-columns.js';
import type { Cells, CsvParser, ParsedFile, ParsedPart } from './csv-parser.service.js';
import type { OpenedImport } from '../open-import.js';
import { type ImportFaults, type ImportBytes, type ImportRow, MAX_RECORD_BYTES } from './import-source.js';
import { defineLimit } from '../../../../kernel/limits.js';

interface CsvHeader {
  /** By position, without unnamed columns at the end. Null for a column that is not imported. */
  readonly columns: readonly (CsvColumn | null)[];
  readonly cells: number;
}

const REPLACEMENT = '�';
/** Maximum columns of a header. PostgreSQL allows 1,600 columns per table. */
const MAX_COLUMNS = defineLimit(1_000, 'Imports', 'columns of a CSV file', 'import_invalid');

/**
 * Reads CSV (RFC 4180) with a header. Rows in which every cell is empty are skipped. Nothing after a misplaced quotation mark is read.
 */
export async function* readCsvRows(
  bytes: ImportBytes,
  opened: OpenedImport,
  faults: ImportFaults,
  parser: CsvParser,
): AsyncGenerator<ImportRow> {
  const { delimiter, encoding } = opened.query;
  let header: CsvHeader | null = null;
  let row = 0;
  let broken: ParsedPart['broken'] = null;
  for await (const part of partsOf(bytes, parser.open(delimiter, encoding))) {
    ({ broken } = part);
    for (const record of part.records) {
      row += 1;
      if (broken !== null && row >= broken.row) break;
      if (!part.isEncoded) noteEncoding(row, record, header, part.encoding, faults);
      if (isBlank(record, header)) {
        faults.noteBlank();
      } else if (header !== null) {
        yield csvRow(row, record, header, faults);
      } else {
        if (record.length > MAX_COLUMNS)
          return faults.addToRow(row, 'too_many', `has more than ${MAX_COLUMNS} columns`);
        header = headerOf(row, record, opened, faults);
      }
    }
  }
  if (broken !== null) faults.addToRow(broken.row, ...parserFault(broken.code));
  else if (header === null) faults.addToRow(1, 'required', 'has no header');
}

/** Returns true if every cell is empty. In a file with one column, an empty line is a record without a value. */
function isBlank(cells: Cells, header: CsvHeader | null): boolean {
  return header?.cells !== 1 && cells.every((cell) => cell === null);
}

function parserFault(code: string): [code: string, message: string] {
  if (code === 'CSV_MAX_RECORD_SIZE') return ['too_long', `has more than ${MAX_RECORD_BYTES} bytes`];
  const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
  return ['csv_malformed', `has a quotation mark ${isOpen ? 'that is not closed' : 'where none is allowed'}`];
}

/** Yields parsed parts. Parses the next chunk while the caller processes the previous one. */
async function* partsOf(bytes: ImportBytes, file: ParsedFile): AsyncGenerator<ParsedPart> {
  let pending: Promise<ParsedPart> | null = null;
  try {
    for await (const chunk of bytes) {
      const next = file.parse(chunk);
      next.catch(() => undefined);
      if (pending !== null) yield await pending;
      pending = next;
    }
    if (pending !== null) yield await pending;
    yield await file.parse(null);
  } finally {
    file.close();
  }
}

function headerOf(row: number, cells: Cells, opened: OpenedImport, faults: ImportFaults): CsvHeader {
  const { columns: fieldNames } = opened.query;
  const end = cells.findLastIndex((name) => (name?.trim() ?? '') !== '') + 1;
  const headings = cells.slice(0, end).map((name) => name?.trim() ?? '');
  const headingSet = new Set(headings);
  for (const heading of fieldNames.keys())
    if (!headingSet.has(heading))
      faults.add(row, { field: heading, code: 'unknown_column', message: 'is not a column of the file' });
  const names = headings.map((heading) => (fieldNames.has(heading) ? (fieldNames.get(heading) ?? null) : heading));
  for (const fault of headerFaults(names)) faults.add(row, fault);
  const columns = names.map((name) => {
    if (name === null) return null;
    const column = csvColumn(opened, name);
    if (column === null && name !== '')
      faults.add(row, { field: name, code: 'unknown_field', message: 'is not a field that you can write' });
    return column;
  });
  return { columns, cells: cells.length };
}

function csvRow(row: number, cells: Cells, header: CsvHeader, faults: ImportFaults): ImportRow {
  const { columns } = header;
  const unnamed = cells.findIndex((cell, at) => at >= columns.length && at < header.cells && cell !== null);
  const isComplete = cells.length >= columns.length && cells.length <= header.cells;
  if (unnamed !== -1) faults.add(row, { field: `column ${unnamed + 1}`, code: 'required', message: 'has no name' });
  else if (!isComplete)
    faults.addToRow(row, 'columns_mismatch', `has ${cells.length} cells where the header has ${header.cells}`);
  if (unnamed !== -1 || !isComplete) return { row, body: undefined, size: 0 };
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
      // The field is present, even if it is invalid. Other errors are still checked.
      body[field] = null;
    }
  }
  return { row, body, size };
}

function noteEncoding(
  row: number,
  cells: Cells,
  header: CsvHeader | null,
  encoding: string,
  faults: ImportFaults,
): void {
  const message = `has bytes that are not ${encoding.toUpperCase()}`;
  for (const [at, cell] of cells.entries())
    if (cell?.includes(REPLACEMENT) === true)
      faults.add(row, { field: header?.columns[at]?.field ?? faults.file, code: 'encoding_invalid', message });
}
