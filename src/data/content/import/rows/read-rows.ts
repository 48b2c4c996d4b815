import type { CsvParser } from './csv-parser.service.js';
import type { OpenedImport } from '../open-import.js';
import { type ImportFaults, type ImportBytes, type ImportRow, MAX_RECORD_BYTES } from './import-source.js';
import { readCsvRows } from './read-csv-rows.js';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { MAX_JSON_DEPTH, parseJsonBody } from '../../../../platform/http/http.public.js';

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

async function* readNdjsonRows(bytes: ImportBytes, faults: ImportFaults): AsyncGenerator<ImportRow> {
  let row = 1;
  const piece = new Piece();
  for await (const chunk of withoutBom(bytes)) {
    for (let from = 0; from < chunk.length;) {
      const at = chunk.indexOf(NEWLINE, from);
      piece.add(chunk.subarray(from, at === -1 ? chunk.length : at));
      if (piece.isTooLarge) return faults.addToRow(row, 'too_long', TOO_LONG);
      if (at === -1) break;
      yield* jsonRow(row, piece.takeBuffer(), faults);
      row += 1;
      from = at + 1;
    }
  }
  yield* jsonRow(row, piece.takeBuffer(), faults);
}

async function* readJsonRows(bytes: ImportBytes, faults: ImportFaults): AsyncGenerator<ImportRow> {
  const list = new JsonList();
  let row = 1;
  for await (const chunk of withoutBom(bytes)) {
    for (const entry of list.read(chunk)) {
      const rows = [...jsonRow(row, entry, faults)];
      if (rows.length === 0) return faults.addToRow(row, 'body_malformed', 'has no value between two commas');
      yield* rows;
      row += 1;
    }
    if (list.fault !== null)
      return faults.addToRow(row, list.fault === TOO_LONG ? 'too_long' : 'body_malformed', list.fault);
  }
  if (!list.isComplete) faults.addToRow(row, 'body_malformed', 'is not a complete JSON list');
}

const TOO_DEEP = `has more than ${MAX_JSON_DEPTH} levels of objects and lists`;
const TOO_LONG = `has more than ${MAX_RECORD_BYTES} bytes`;

class Piece {
  private parts: Uint8Array[] = [];
  private length = 0;

  add(part: Uint8Array): void {
    this.parts.push(part);
    this.length += part.length;
  }

  get isTooLarge(): boolean {
    return this.length > MAX_RECORD_BYTES;
  }

  takeBuffer(): Buffer {
    const bytes = Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    return bytes;
  }
}

class JsonList {
  fault: string | null = null;
  private readonly piece = new Piece();
  private state: 'before' | 'inside' | 'after' = 'before';
  private depth = 0;
  private inText = false;
  private isEscaped = false;
  private isFirst = true;

  get isComplete(): boolean {
    return this.state === 'after' && this.fault === null;
  }

  *read(chunk: Uint8Array): Generator<Buffer> {
    let from = 0;
    for (let at = 0; at < chunk.length && this.fault === null; at += 1) {
      const byte = chunk[at] as number;
      if (this.state !== 'inside') {
        this.outside(byte);
        from = at + 1;
      } else if (this.isEnd(byte)) {
        this.piece.add(chunk.subarray(from, at));
        from = at + 1;
        yield* this.entry(byte);
      }
    }
    if (this.state === 'inside') this.piece.add(chunk.subarray(from));
    if (this.piece.isTooLarge) this.fault ??= TOO_LONG;
  }

  private outside(byte: number): void {
    if (isSpace(byte)) return;
    if (this.state === 'before' && byte === OPEN_LIST) this.state = 'inside';
    else this.fault = this.state === 'before' ? 'is not a list' : 'continues after the end of the list';
  }

  private isEnd(byte: number): boolean {
    if (this.inText) {
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.inText = false;
      return false;
    }
    if (byte === QUOTE) this.inText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.depth += 1;
    else if (this.depth === 0) return byte === COMMA || byte === CLOSE_LIST;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.depth -= 1;
    return false;
  }

  private *entry(end: number): Generator<Buffer> {
    const entry = this.piece.takeBuffer();
    const isLast = end === CLOSE_LIST;
    if (isLast) this.state = 'after';
    if (!isLast || !this.isFirst || !isBlank(entry)) yield entry;
    this.isFirst = false;
  }
}

function* jsonRow(row: number, text: Buffer, faults: ImportFaults): Generator<ImportRow> {
  if (isBlank(text)) return;
  let body: unknown;
  try {
    body = parseJsonBody(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isDeep = error.code === 'body_too_deep';
    faults.addToRow(row, error.code, isDeep ? TOO_DEEP : 'is not JSON in UTF-8');
  }
  yield { row, body, size: text.length };
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

function isBlank(text: Buffer): boolean {
  return text.every(isSpace);
}

async function* withoutBom(bytes: ImportBytes): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const part = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (head === null) {
      yield part;
      continue;
    }
    head = Buffer.concat([head, part]);
    if (head.length < BOM.length) continue;
    yield head.subarray(0, BOM.length).equals(BOM) ? head.subarray(BOM.length) : head;
    head = null;
  }
  if (head !== null && head.length > 0) yield head;
}

/** Number of rows per chunk. Larger chunks are hardly faster and delay other requests. */
const CHUNK_ROWS = 100;
const CHUNK_BYTES = 1_000_000;

export function readRows(
  bytes: ImportBytes,
  opened: OpenedImport,
  faults: ImportFaults,
  parser: CsvParser,
): AsyncIterable<ImportRow> {
  const { format } = opened.query;
  if (format === 'csv') return readCsvRows(bytes, opened, faults, parser);
  return format === 'json' ? readJsonRows(bytes, faults) : readNdjsonRows(bytes, faults);
}

/**
 * Groups rows into chunks.
 *
 * @param limit maximum number of rows. Reading stops at the limit, and an error is added.
 */
export async function* inChunks(
  rows: AsyncIterable<ImportRow>,
  limit: number,
  faults: ImportFaults,
): AsyncGenerator<readonly ImportRow[]> {
  let remaining = limit;
  let chunk: ImportRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (remaining === 0) {
      faults.addToRow(row.row, 'too_many', `is more than the ${limit} records of one import`);
      break;
    }
    remaining -= 1;
    chunk.push(row);
    bytes += row.size;
    if (chunk.length < CHUNK_ROWS && bytes < CHUNK_BYTES) continue;
    yield chunk;
    [chunk, bytes] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}
