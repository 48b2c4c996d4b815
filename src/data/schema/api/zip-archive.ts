import { StreamableFile } from '@nestjs/common';
import { strToU8, zipSync } from 'fflate';
import { crc32, inflateRawSync } from 'node:zlib';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';
import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import { parseJson } from '../../../kernel/text/json.js';
import type { SubmittedDocument } from '../definition/read-submission.js';

interface ZipEntry {
  readonly name: string;
  readonly content: string;
}

/** The earliest date of the zip format, in local time as the format requires. Equal files give equal archives. */
const FIRST_DAY = new Date(1980, 0, 1);

export function zipArchive(entries: readonly ZipEntry[]): Buffer {
  const files = Object.fromEntries(entries.map(({ name, content }) => [name, strToU8(content)]));
  return Buffer.from(zipSync(files, { mtime: FIRST_DAY }));
}

export function schemaArchive(definitions: readonly SchemaDefinition[]): StreamableFile {
  const entries = definitions.map((definition) => ({
    name: `${definition.name}.json`,
    content: `${JSON.stringify(definition, null, 2)}\n`,
  }));
  return new StreamableFile(zipArchive(entries), {
    type: 'application/zip',
    disposition: 'attachment; filename="schemas.zip"',
  });
}

/** Returns the schema files of an archive. Throws `body_malformed` for an invalid archive or invalid JSON. */
export function archivedDocuments(archive: Buffer): readonly SubmittedDocument[] {
  const files = readZip(archive).filter(({ name }) => name.endsWith('.json'));
  return files.map(({ name, content }) => {
    try {
      return { json: parseJson(content.replace(/^\uFEFF/, '')), source: name };
    } catch (cause) {
      throw new AppError('body_malformed', { message: `${name.slice(0, 200)} is not well-formed JSON.`, cause });
    }
  });
}

const CENTRAL = 0x02_01_4b_50;
const LOCAL = 0x04_03_4b_50;
const END = 0x06_05_4b_50;
const END_BYTES = 22;
/** @internal */
const MAX_COMMENT_BYTES = 65_535;
const MAX_ENTRIES = defineLimit(2_000, 'Schemas', 'files in an archive of schemas', 'body_too_large');
/** Total uncompressed bytes of all files. */
const LARGEST = defineLimit(
  16 * 1024 * 1024,
  'Schemas',
  'bytes of all files in an archive of schemas',
  'body_too_large',
);
/** General purpose bit 0: the file is encrypted. */
const ENCRYPTED = 1;

/**
 * Reads stored or deflated files (PKWARE APPNOTE 6.3.10 §4.3) with limits and checksums, both of which fflate lacks. Throws
 * `body_malformed` or `body_too_large`.
 */
export function readZip(archive: Buffer): readonly ZipEntry[] {
  try {
    return entriesOf(archive);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('body_malformed', { message: 'The body is not a zip archive that can be read.', cause });
  }
}

function entriesOf(archive: Buffer): readonly ZipEntry[] {
  const end = endOf(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new AppError('body_too_large');
  const entries: ZipEntry[] = [];
  let [at, budget] = [archive.readUInt32LE(end + 16), LARGEST];
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== CENTRAL)
      throw new Error('a file is not at the position that the archive directory states');
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const nameStart = at + 46;
    const name = archive.toString('utf8', nameStart, nameStart + (nameBytes ?? 0));
    const content = unpack(archive, at, budget);
    budget -= content.length;
    if (!name.endsWith('/')) entries.push({ name, content: content.toString('utf8') });
    at = nameStart + (nameBytes ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

/** Finds the end record, which only a comment may follow. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - MAX_COMMENT_BYTES);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) if (archive.readUInt32LE(at) === END) return at;
  throw new Error('the archive has no directory');
}

function unpack(archive: Buffer, at: number, budget: number): Buffer {
  const [flags, method] = [archive.readUInt16LE(at + 8), archive.readUInt16LE(at + 10)];
  const [checksum, packed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset));
  if (size === undefined || size > budget) throw new AppError('body_too_large');
  const local = archive.readUInt32LE(at + 42);
  if ((flags & ENCRYPTED) !== 0 || archive.readUInt32LE(local) !== LOCAL) throw new Error('a file cannot be read');
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const data = archive.subarray(start, start + (packed ?? 0));
  const content = method === 0 ? data : inflate(data, method, size);
  if (content.length !== size || crc32(content) !== checksum) throw new Error('a file is broken');
  return content;
}

function inflate(data: Buffer, method: number, size: number): Buffer {
  if (method !== 8) throw new Error('a file has an unsupported compression method');
  // The declared size is not trusted: decompression stops at it.
  return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
}
