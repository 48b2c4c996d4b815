import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../../../../kernel/errors/app-error.js';
import { MOST_RECORD_BYTES } from './import-row.types.js';

/** The cells of a record; null is an empty one, an empty text one of quotes. */
export type Cells = readonly (string | null)[];

/** Facts of a file by now. */
export interface ParsedPart {
  /** The records that have become whole. */
  readonly records: readonly Cells[];
  /** The encoding: that of its byte order mark, or the declared one. */
  readonly encoding: string;
  /** Whether all bytes so far are valid in that encoding. */
  readonly isEncoded: boolean;
  /** The first record that is none, with the parser's word for why; nothing behind it is parsed. */
  readonly broken: { readonly row: number; readonly code: string } | null;
}

/** A file while it is parsed. */
export interface ParsedFile {
  /**
   * Parses what has come, and with null what is left at its end.
   *
   * @throws AppError `server_busy` if the thread has ended.
   */
  readonly parse: (bytes: Uint8Array | null) => Promise<ParsedPart>;
  readonly close: () => void;
}

const PROGRAM = fileURLToPath(new URL('./csv-thread.mjs', import.meta.url));
/** Time for which the thread waits for the next file. */
const IDLE_MS = 30_000;
/** In megabytes: what it holds are a few records of each file, none of them larger than one. */
const BOUNDS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };

/** Parses CSV in a thread of its own, which is started when there is a file, and again after it died (ADR 0103). */
@Injectable()
export class CsvParser implements OnApplicationShutdown {
  private thread: Worker | null = null;
  private files = 0;
  private idle: NodeJS.Timeout | undefined;

  /**
   * Begins a file.
   *
   * @param encoding its encoding if it has no byte order mark, as `TextDecoder` names it.
   */
  open(delimiter: string, encoding = 'utf-8'): ParsedFile {
    clearTimeout(this.idle);
    this.files += 1;
    const { port1: port, port2 } = new MessageChannel();
    const asked = askedOf(port);
    this.thread ??= this.start();
    this.thread.postMessage({ port: port2, delimiter, encoding, mostRecordBytes: MOST_RECORD_BYTES }, [port2]);
    return {
      parse: (bytes) => {
        // Its own bytes alone: those of a socket lie in a block that others share.
        const own = bytes === null ? null : new Uint8Array(bytes);
        port.postMessage(own, own === null ? [] : [own.buffer]);
        return asked();
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
    // Whoever waits for it is told by the ports, which close with it.
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

/** Returns what waits for the next answer of a port, one after another. */
function askedOf(port: MessagePort): () => Promise<ParsedPart> {
  const waiting: { readonly answer: (part: ParsedPart) => void; readonly refuse: (error: Error) => void }[] = [];
  let isClosed = false;
  const ended = (): Error => new AppError('server_busy', { retryAfterSeconds: 1 });
  port.on('message', (part: ParsedPart) => waiting.shift()?.answer(part));
  port.on('close', () => {
    isClosed = true;
    for (const { refuse } of waiting.splice(0)) refuse(ended());
  });
  return () =>
    new Promise((answer, refuse) => {
      if (isClosed) refuse(ended());
      else waiting.push({ answer, refuse });
    });
}
