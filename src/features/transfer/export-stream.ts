import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TransferError } from './transfer.errors.js';

/** Format version. It must change if a reader of this version would misread the stream. */
export const EXPORT_FORMAT = 1;

/** The first line. */
export interface ExportHeader {
  readonly lintel_export: number;
  readonly lintel: string;
  readonly exported_at: string;
  /** Names of the applied migrations, of Lintel and of the application. */
  readonly migrations: readonly string[];
  readonly own_migrations: readonly string[];
}

/** Entries of an export, in their order. */
export type ExportEntry =
  | { readonly kind: 'header'; readonly header: ExportHeader }
  /** The rows of a table follow. */
  | { readonly kind: 'table'; readonly name: string; readonly columns: readonly string[] }
  /** A row as a JSON array with the text values of its columns. */
  | { readonly kind: 'row'; readonly text: string; readonly line: number }
  /** All schema versions are complete. Rows of the content tables follow. */
  | { readonly kind: 'schemas' }
  /** The next value of a sequence. */
  | { readonly kind: 'sequence'; readonly table: string; readonly column: string; readonly next: string };

const LINE_FEED = 10;
/** PostgreSQL values have at most 1 GB, so a longer line cannot belong to an export. @internal */
const MAX_LINE_BYTES = 512 * 1024 * 1024;
const GZIP = [0x1f, 0x8b];

/** Writes the lines of an export. The last line has the number of rows and the checksum. */
export class ExportWriter {
  private readonly hash = createHash('sha256');
  private rows = 0;

  entry(entry: Exclude<ExportEntry, { readonly kind: 'row' }>): string {
    return this.line(JSON.stringify(contentOf(entry)));
  }

  /** Returns the lines of rows that are already JSON. */
  lines(rows: readonly string[]): string {
    this.rows += rows.length;
    return this.line(rows.join('\n'));
  }

  end(): string {
    return `${JSON.stringify({ end: { rows: this.rows, sha256: this.hash.digest('hex') } })}\n`;
  }

  private line(text: string): string {
    this.hash.update(`${text}\n`);
    return `${text}\n`;
  }
}

function contentOf(entry: Exclude<ExportEntry, { readonly kind: 'row' }>): object {
  switch (entry.kind) {
    case 'header':
      return entry.header;
    case 'table':
      return { table: entry.name, columns: entry.columns };
    case 'schemas':
      return { schemas: true };
    case 'sequence':
      return { sequence: { table: entry.table, column: entry.column, next: entry.next } };
  }
}

/**
 * Reads an export, compressed or not, entry by entry. Each entry is validated when it is read. The checksum is only verified at the end, so
 * the export is complete if the generator finishes without an error.
 *
 * @throws TransferError with a message for the operator.
 */
export async function* readExport(source: AsyncIterable<Buffer>): AsyncGenerator<ExportEntry> {
  const hash = createHash('sha256');
  let [line, rows, columns] = [0, 0, 0];
  let end: { readonly rows: number; readonly sha256: string } | undefined;
  for await (const bytes of linesOf(plain(source))) {
    line += 1;
    if (end !== undefined) throw new TransferError(`Line ${line} is after the end of the export.`);
    const text = bytes.toString();
    const value = parseLine(text, line);
    if (!Array.isArray(value)) {
      end = endOf(value);
      if (end !== undefined) continue;
    }
    hash.update(bytes).update('\n');
    const entry = Array.isArray(value) ? rowOf(value, { text, line, columns }) : entryOf(value, line);
    if (entry.kind === 'row') rows += 1;
    columns = entry.kind === 'table' ? entry.columns.length : entry.kind === 'row' ? columns : 0;
    yield entry;
  }
  if (end === undefined) throw new TransferError('The export is incomplete: its end is missing.');
  if (end.rows !== rows || end.sha256 !== hash.digest('hex'))
    throw new TransferError('The export was modified: its checksum does not match.');
}

function rowOf(
  value: readonly unknown[],
  { text, line, columns }: { readonly text: string; readonly line: number; readonly columns: number },
): ExportEntry {
  const isRow = value.length === columns && value.every((one) => one === null || typeof one === 'string');
  if (!isRow) throw new TransferError(`Line ${line} of the export is not a row of its table.`);
  return { kind: 'row', text, line };
}

function entryOf(value: object, line: number): ExportEntry {
  if (line === 1) return { kind: 'header', header: headerOf(value) };
  const { table, columns, schemas, sequence } = value as Readonly<Record<string, unknown>>;
  if (typeof table === 'string' && areTexts(columns)) return { kind: 'table', name: table, columns };
  if (schemas === true) return { kind: 'schemas' };
  const of = Object(sequence) as Readonly<Record<string, unknown>>;
  if (typeof of['table'] === 'string' && typeof of['column'] === 'string' && /^-?\d{1,19}$/.test(String(of['next'])))
    return { kind: 'sequence', table: of['table'], column: of['column'], next: String(of['next']) };
  throw new TransferError(`Line ${line} of the export has an unknown form.`);
}

function headerOf(value: object): ExportHeader {
  const header = value as Partial<ExportHeader>;
  const { lintel_export: format, lintel, migrations, own_migrations: own } = header;
  if (!Number.isInteger(format) || typeof lintel !== 'string') throw noExport();
  if (format !== EXPORT_FORMAT)
    throw new TransferError(
      `The export has the format ${format} of Lintel ${lintel}, and this version reads ${EXPORT_FORMAT}. Import it with that version or a later one.`,
    );
  if (!areTexts(migrations) || !areTexts(own)) throw noExport();
  return header as ExportHeader;
}

function endOf(value: object): { readonly rows: number; readonly sha256: string } | undefined {
  const { end } = value as { readonly end?: { readonly rows: number; readonly sha256: string } };
  return typeof end?.sha256 === 'string' ? end : undefined;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function parseLine(text: string, line: number): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && (line > 1 || !Array.isArray(value))) return value;
  } catch {
    // Handled below.
  }
  throw line === 1 ? noExport() : new TransferError(`Line ${line} of the export is not well-formed.`);
}

function noExport(): TransferError {
  return new TransferError('This is not an export: the first line is not a header.');
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let lineStart: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...lineStart, chunk.subarray(start, at)]);
      lineStart = [];
      length = 0;
      start = at + 1;
    }
    lineStart.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_LINE_BYTES) throw noExport();
  }
  if (length > 0) yield Buffer.concat(lineStart);
}

/** Decompresses the stream if it starts with a gzip header. */
async function* plain(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    head = Buffer.concat([head, next.value]);
    if (head.length >= GZIP.length) break;
  }
  const remaining = Readable.from(joined(head, chunks));
  if (!GZIP.every((byte, at) => head[at] === byte)) {
    yield* remaining as AsyncIterable<Buffer>;
    return;
  }
  const gunzip = createGunzip();
  pipeline(remaining, gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (cause) {
    if (!String((cause as NodeJS.ErrnoException).code).startsWith('Z_')) throw cause;
    throw new TransferError('The export cannot be decompressed: it is incomplete or was modified.', { cause });
  }
}

async function* joined(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => chunks };
}
