import type { Readable } from 'node:stream';

export interface TarEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly size: number;
}

export interface TarSink {
  write(chunk: Buffer): Promise<void>;
  end(): Promise<void>;
}

class TarError extends Error {}

const BLOCK = 512;

/**
 * Reads an archive in the format that PostgreSQL writes, in chunks: POSIX.1-1988 ustar with files and directories, names of up to 99 bytes,
 * and sizes also in base 256.
 *
 * @param open returns the receiver of an entry's content.
 * @throws TarError
 */
export async function readTar(stream: Readable, open: (entry: TarEntry) => Promise<TarSink>): Promise<void> {
  const source = new BlockSource(stream);
  for (;;) {
    const header = await source.read(BLOCK);
    if (header === null) throw new TarError('it is truncated');
    if (header.every((byte) => byte === 0)) return source.drain();
    const entry = parseHeader(header);
    const sink = await open(entry);
    try {
      await copyContent(source, entry.size, sink);
    } finally {
      await sink.end();
    }
  }
}

async function copyContent(source: BlockSource, size: number, sink: TarSink): Promise<void> {
  for (let remaining = size; remaining > 0;) {
    const chunk = await source.readSome(remaining);
    if (chunk === null) throw new TarError('it is truncated');
    await sink.write(chunk);
    remaining -= chunk.length;
  }
  const padding = (BLOCK - (size % BLOCK)) % BLOCK;
  if (padding > 0 && (await source.read(padding)) === null) throw new TarError('it is truncated');
}

function parseHeader(header: Buffer): TarEntry {
  if (checksumOf(header) !== parseNumber(header.subarray(148, 156))) throw new TarError('it is damaged');
  const type = String.fromCharCode(header[156] ?? 0);
  if (!['0', '\0', '5'].includes(type)) throw new TarError(`it contains an entry of the type ${JSON.stringify(type)}`);
  const text = (from: number, length: number): string =>
    header
      .subarray(from, from + length)
      .toString('utf8')
      .replace(/\0.*$/s, '');
  const prefix = text(345, 155);
  const path = (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`).replace(/^\.\//, '').replace(/\/$/, '');
  if (path.startsWith('/') || path.split(/[\\/]/).includes('..'))
    throw new TarError(`it contains a path outside the archive (${path})`);
  return { path, isDirectory: type === '5', size: type === '5' ? 0 : parseNumber(header.subarray(124, 136)) };
}

/** Returns the sum of all bytes. The bytes of the checksum field count as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  return sum;
}

/** Parses octal digits, or binary bytes if the first bit is set. */
function parseNumber(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) === 0) return Number.parseInt(field.toString('latin1').trim(), 8) || 0;
  return field.subarray(1).reduce((number, byte) => number * 256 + byte, 0);
}

class BlockSource {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async read(length: number): Promise<Buffer | null> {
    while (this.buffered.length < length) {
      const next = await this.chunks.next();
      if (next.done === true) return null;
      this.buffered = Buffer.concat([this.buffered, next.value]);
    }
    return this.consume(length);
  }

  async readSome(maxBytes: number): Promise<Buffer | null> {
    while (this.buffered.length === 0) {
      const next = await this.chunks.next();
      if (next.done === true) return null;
      this.buffered = next.value;
    }
    return this.consume(Math.min(maxBytes, this.buffered.length));
  }

  /** Reads to the end, because the gzip checksum also covers the bytes after the archive. */
  async drain(): Promise<void> {
    this.buffered = Buffer.alloc(0);
    for (let { done } = await this.chunks.next(); done !== true; { done } = await this.chunks.next());
  }

  private consume(length: number): Buffer {
    const consumed = this.buffered.subarray(0, length);
    this.buffered = this.buffered.subarray(length);
    return consumed;
  }
}
