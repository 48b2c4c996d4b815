import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { MAX_RECORD_BYTES } from './import-source.js';

/** The cells of a record. Null is an empty cell, `""` an empty string. */
export type Cells = readonly (string | null)[];

export interface ParsedPart {
  readonly records: readonly Cells[];
  /** The encoding of the byte order mark, or the declared one. */
  readonly encoding: string;
  readonly isEncoded: boolean;
  /** The first malformed record with the error code of the parser. Nothing after it is parsed. */
  readonly broken: { readonly row: number; readonly code: string } | null;
}

export interface ParsedFile {
  /**
   * Parses the next bytes; null ends the file.
   *
   * @throws AppError `server_busy` if the worker thread has exited.
   */
  readonly parse: (bytes: Uint8Array | null) => Promise<ParsedPart>;
  readonly close: () => void;
}

const PROGRAM = fileURLToPath(new URL('./csv-thread.mjs', import.meta.url));
const IDLE_MS = 30_000;
/** In megabytes. The thread buffers a few records per file, each of limited size. */
const BOUNDS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

/** Parses CSV in a worker thread (ADR 0103). The thread starts on demand, and again after a crash. */
@Injectable()
export class CsvParser implements OnApplicationShutdown {
  private thread: Worker | null = null;
  private files = 0;
  private idle: NodeJS.Timeout | undefined;

  /** @param encoding encoding of a file without a byte order mark, as a `TextDecoder` label. */
  open(delimiter: string, encoding = 'utf-8'): ParsedFile {
    clearTimeout(this.idle);
    this.files += 1;
    const { port1: port, port2 } = new MessageChannel();
    const nextPart = nextPartOf(port);
    this.thread ??= this.start();
    this.thread.postMessage({ port: port2, delimiter, encoding, mostRecordBytes: MAX_RECORD_BYTES }, [port2]);
    return {
      parse: (bytes) => {
        // Copies the bytes before transfer, because socket chunks share a pooled buffer.
        const own = bytes === null ? null : new Uint8Array(bytes);
        port.postMessage(own, own === null ? [] : [own.buffer]);
        return nextPart();
      },
      close: () => {
        port.close();
        this.files -= 1;
        if (this.files === 0 && this.thread !== null) this.idle = setTimeout(() => void this.end(), IDLE_MS).unref();
      },
    };
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.idle);
    await this.end();
  }

  private start(): Worker {
    const thread = new Worker(PROGRAM, { env: {}, execArgv: [], resourceLimits: BOUNDS, name: 'csv' });
    const forget = (): void => {
      if (this.thread === thread) this.thread = null;
    };
    // Pending calls are rejected by their ports, which close with the thread.
    thread.on('error', forget);
    thread.on('exit', forget);
    thread.unref();
    return thread;
  }

  private async end(): Promise<void> {
    const { thread } = this;
    this.thread = null;
    await thread?.terminate();
  }
}

function nextPartOf(port: MessagePort): () => Promise<ParsedPart> {
  const waiting: { readonly answer: (part: ParsedPart) => void; readonly refuse: (error: Error) => void }[] = [];
  let isClosed = false;
  const busyError = (): Error => new AppError('server_busy', { retryAfterSeconds: 1 });
  port.on('message', (part: ParsedPart) => waiting.shift()?.answer(part));
  port.on('close', () => {
    isClosed = true;
    for (const { refuse } of waiting.splice(0)) refuse(busyError());
  });
  return () =>
    new Promise((answer, refuse) => {
      if (isClosed) refuse(busyError());
      else waiting.push({ answer, refuse });
    });
}
