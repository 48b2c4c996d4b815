import { finished, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { AppError, type FieldFault } from '../../../../kernel/errors/app-error.js';
import { bodyParts } from '../../../../platform/http/http.public.js';
import { defineLimit } from '../../../../kernel/limits.js';
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ImportSource {
  readonly open: () => ImportBytes;
  readonly end: () => Promise<void>;
}

/**
 * Buffers a stream on disk, so that a transaction does not wait for a slow client and memory use is constant. The file is unlinked before
 * its first byte is written, so a crash leaves at most an empty file (on Windows it is removed on close).
 *
 * @param maxBytes maximum number of bytes.
 * @throws AppError `body_too_large`; `server_busy` if the disk is full.
 */
export async function spooled(bytes: ImportBytes, maxBytes: number): Promise<ImportSource> {
  const path = join(tmpdir(), `lintel-import-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  const remove = (): Promise<void> => rm(path, { force: true }).catch(() => undefined);
  const end = async (): Promise<void> => {
    await handle.close();
    await remove();
  };
  try {
    await remove();
    for await (const chunk of bounded(bytes, maxBytes)) await handle.appendFile(chunk);
    return { open: () => handle.createReadStream({ start: 0, autoClose: false }), end };
  } catch (error) {
    await end();
    const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw isFull ? new AppError('server_busy', { cause: error, retryAfterSeconds: 60 }) : error;
  }
}

/** Yields the bytes. @throws AppError `body_too_large` if there are more than `maxBytes`. */
export async function* bounded(bytes: ImportBytes, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new AppError('body_too_large');
    yield chunk;
  }
}

export interface ImportRow {
  readonly row: number;
  /** Body for a single write; undefined if it cannot be parsed. The error was reported. */
  readonly body: unknown;
  /** Approximate size in bytes. */
  readonly size: number;
}

export type ImportBytes = AsyncIterable<Uint8Array>;

/** Maximum bytes of one record, the same as for the body of a single write. */
export const MAX_RECORD_BYTES = defineLimit(1_048_576, 'Imports', 'bytes of one record', 'import_invalid');

const GZIP_DAMAGED = 'The body is damaged or incomplete: it is not valid gzip.';
const INCOMPLETE = 'The body is incomplete: the connection was closed before its end.';

/**
 * Yields the body of a route with `@AcceptsStream({ packed: true })`, decompressed (RFC 9110 §8.4.1.3).
 *
 * @throws AppError `body_malformed` for a body that is incomplete or is not valid gzip.
 */
export function arrivingBytes(request: FastifyRequest): AsyncIterable<Uint8Array> {
  const body = (request.body as Readable | undefined) ?? Readable.from([]);
  const encoding = (request.raw.headers['content-encoding'] ?? '').toLowerCase();
  return encoding.includes('gzip')
    ? assertComplete(unpacked(body), GZIP_DAMAGED)
    : assertComplete(bodyParts(body), INCOMPLETE);
}

/** The body itself is never destroyed, because its connection needs a response. */
function unpacked(body: Readable): Readable {
  const gunzip = createGunzip();
  // gunzip can emit another error after the consumer has stopped.
  gunzip.on('error', () => undefined);
  finished(body, { writable: false }, (error) => error && gunzip.destroy(error));
  return body.pipe(gunzip);
}

async function* assertComplete(body: AsyncIterable<unknown>, message: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('body_malformed', { cause: error, message });
  }
}

export interface RowFault extends FieldFault {
  /** Position of the record: index in a list, line of NDJSON, or row of CSV, in which the header is row 1. */
  readonly row: number;
}

const MAX_LISTED = defineLimit(1_000, 'Imports', 'errors that the response of an import lists', null);

export class ImportFaults {
  private listed: RowFault[] = [];
  private readonly recent = new Set<string>();
  private readonly recentRows = new Set<number>();
  private total = 0;
  private blank = 0;

  /**
   * @param file the field name for errors of a whole record.
   * @param maxListed maximum number of errors reported. Further errors are only counted.
   */
  constructor(
    readonly file: string,
    private readonly maxListed = MAX_LISTED,
  ) {}

  /** Adds an error. Only the first error of each field of a row is kept. */
  add(row: number, { field, code, message }: FieldFault): void {
    const key = `${row} ${field}`;
    if (this.recent.has(key)) return;
    this.recent.add(key);
    this.recentRows.add(row);
    this.total += 1;
    if (this.listed.length < this.maxListed) this.listed.push({ row, field: field.slice(0, 200), code, message });
  }

  noteBlank(): void {
    this.blank += 1;
  }

  drainBlank(): number {
    const drained = this.blank;
    this.blank = 0;
    return drained;
  }

  has(row: number): boolean {
    return this.recentRows.has(row);
  }

  addToRow(row: number, code: string, message: string): void {
    this.add(row, { field: this.file, code, message });
  }

  addRefusal(row: number, { code, message, details }: AppError): void {
    const { errors = [] } = details as { readonly errors?: readonly FieldFault[] };
    for (const fault of errors) this.add(row, fault);
    if (errors.length === 0) this.addToRow(row, code === 'field_invalid' ? 'value_invalid' : code, message);
  }

  /** Forgets the rows so far. They must not receive further errors. */
  clearRecent(): void {
    this.recent.clear();
    this.recentRows.clear();
  }

  drain(): readonly RowFault[] {
    const drained = this.listed;
    this.listed = [];
    this.clearRecent();
    return drained;
  }

  /**
   * @param rows number of records read.
   * @throws AppError `import_invalid` with the first errors and their total number.
   */
  assertNone(rows: number): void {
    if (this.total === 0) return;
    const errors = this.listed.toSorted((one, other) => one.row - other.row);
    throw new AppError('import_invalid', { details: { errors, total: this.total, rows } });
  }
}
