import { connect, type IpcSocketConnectOpts, type Socket, type TcpSocketConnectOpts } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { FileScanner, type ScannedFile, type ScanVerdict } from './file-scanner.port.js';

export type ClamdAddress = Pick<TcpSocketConnectOpts, 'host' | 'port'> | Pick<IpcSocketConnectOpts, 'path'>;

/** Maximum length of a response, which is one line. @internal */
const MAX_CHARACTERS = 1_000;

/**
 * Scans files with clamd (ClamAV) at `FILES_CLAMD`, using its command `INSTREAM` (clamd(8)). Without that setting, files are not scanned.
 */
@Injectable()
export class ClamdFileScanner extends FileScanner {
  private readonly address: ClamdAddress | null;

  constructor(@Inject(CONFIG) config: Config) {
    super();
    this.address = config.files.clamd;
  }

  isActive(): boolean {
    return this.address !== null;
  }

  async scan(bytes: Readable, _file: ScannedFile, signal: AbortSignal): Promise<ScanVerdict> {
    if (this.address === null) return { finding: null };
    const socket = connect({ ...this.address, signal });
    try {
      const response = readResponse(socket);
      // clamd may respond before it has read the whole stream, and then it stops reading.
      await Promise.race([pipeline(frameChunks(bytes), socket, { end: false }), response]);
      return verdictOf(await response);
    } finally {
      socket.destroy();
    }
  }
}

/** Frames the bytes for `INSTREAM`: each chunk has a length prefix, and a chunk of length 0 ends the stream. */
async function* frameChunks(bytes: Readable): AsyncGenerator<Buffer> {
  yield Buffer.from('zINSTREAM\0');
  for await (const part of bytes as AsyncIterable<Buffer>) {
    if (part.length === 0) continue;
    yield lengthPrefix(part.length);
    yield part;
  }
  yield lengthPrefix(0);
}

function lengthPrefix(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

async function readResponse(socket: Socket): Promise<string> {
  let text = '';
  for await (const part of socket as AsyncIterable<Buffer>) {
    text += part.toString('utf8');
    if (text.includes('\0') || text.length > MAX_CHARACTERS) break;
  }
  return text.split('\0', 1)[0] ?? '';
}

/** @throws Error for any other response, for example if the file is larger than clamd accepts. */
function verdictOf(line: string): ScanVerdict {
  if (line === 'stream: OK') return { finding: null };
  const finding = /^stream: (.+) FOUND$/.exec(line)?.[1];
  if (finding !== undefined) return { finding };
  throw new Error(`clamd returned no verdict: ${JSON.stringify(line.slice(0, 200))}`);
}
