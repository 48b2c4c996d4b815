import { strToU8, zipSync } from 'fflate';
import { crc32, inflateRawSync } from 'node:zlib';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';

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

const CENTRAL = 0x02_01_4b_50;
const LOCAL = 0x04_03_4b_50;
const END = 0x06_05_4b_50;
const END_BYTES = 22;
/** @internal */
const LONGEST_COMMENT = 65_535;
const MOST_ENTRIES = defineLimit(2_000, 'Schemas', 'files in an archive of schemas', 'body_too_large');
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
  if (count > MOST_ENTRIES) throw new AppError('body_too_large');
  const entries: ZipEntry[] = [];
  let [at, room] = [archive.readUInt32LE(end + 16), LARGEST];
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== CENTRAL) throw new Error('a file is not where the directory says');
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const rest = at + 46;
    const name = archive.toString('utf8', rest, rest + (nameBytes ?? 0));
    const content = unpack(archive, at, room);
    room -= content.length;
    if (!name.endsWith('/')) entries.push({ name, content: content.toString('utf8') });
    at = rest + (nameBytes ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

/** Finds the end record, which only a comment may follow. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - END_BYTES - LONGEST_COMMENT);
  for (let at = archive.length - END_BYTES; at >= first; at -= 1) if (archive.readUInt32LE(at) === END) return at;
  throw new Error('there is no directory');
}

function unpack(archive: Buffer, at: number, room: number): Buffer {
  const [flags, method] = [archive.readUInt16LE(at + 8), archive.readUInt16LE(at + 10)];
  const [checksum, packed, size] = [16, 20, 24].map((offset) => archive.readUInt32LE(at + offset));
  if (size === undefined || size > room) throw new AppError('body_too_large');
  const local = archive.readUInt32LE(at + 42);
  if ((flags & ENCRYPTED) !== 0 || archive.readUInt32LE(local) !== LOCAL) throw new Error('a file cannot be read');
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const data = archive.subarray(start, start + (packed ?? 0));
  const content = method === 0 ? data : inflate(data, method, size);
  if (content.length !== size || crc32(content) !== checksum) throw new Error('a file is broken');
  return content;
}

function inflate(data: Buffer, method: number, size: number): Buffer {
  if (method !== 8) throw new Error('a file is packed in another way');
  // The declared size is not trusted: decompression stops at it.
  return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
}
