import { crc32, deflateRawSync } from 'node:zlib';

/** One file of an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string;
}

const LOCAL = 0x04_03_4b_50;
const CENTRAL = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
const VERSION = 20;
const DEFLATED = 8;
/** Names are UTF-8 (general purpose bit 11). */
const UTF8_NAMES = 0x08_00;
/** 1 January 1980, the first day that the format knows: equal files make equal archives. */
const FIRST_DAY = 0x00_21;

/** Packs small text files, deflated (PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16). */
export function zipArchive(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const [bytes, data] = [Buffer.from(name), Buffer.from(content)];
    const packed = deflateRawSync(data);
    const common = commonHeader(bytes, data, packed);
    const local = Buffer.concat([word(LOCAL), common, bytes, packed]);
    // Comment, disk, internal attributes: none; then external attributes and where the file stands.
    const rest = Buffer.concat([Buffer.alloc(10), word(offset)]);
    centrals.push(Buffer.concat([word(CENTRAL), half(VERSION), common, rest, bytes]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const count = half(entries.length);
  const end = [word(END), Buffer.alloc(4), count, count, word(directory.length), word(offset), half(0)];
  return Buffer.concat([...locals, directory, ...end]);
}

function commonHeader(name: Buffer, data: Buffer, packed: Buffer): Buffer {
  const versions = [half(VERSION), half(UTF8_NAMES), half(DEFLATED), half(0), half(FIRST_DAY)];
  const sizes = [word(crc32(data)), word(packed.length), word(data.length)];
  return Buffer.concat([...versions, ...sizes, half(name.length), half(0)]);
}

function word(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

function half(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16LE(value);
  return buffer;
}
