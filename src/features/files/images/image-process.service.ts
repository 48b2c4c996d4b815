import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { AppError } from '../../../kernel/errors/app-error.js';
import { defineLimit } from '../../../kernel/limits.js';
import type { ImageSize } from '../../../kernel/schema-definition.types.js';
import type { ImageFormat } from './image-format.js';

interface ImageTask extends ImageSize {
  readonly bytes: Readable;
  /** In bytes. */
  readonly length: number;
  /** Null for the format of the original, if all browsers show it. */
  readonly format: ImageFormat | null;
}

export interface CreatedImage {
  readonly bytes: Buffer;
  readonly format: ImageFormat;
  /** Size of the original as displayed, in pixels. */
  readonly original: { readonly width: number; readonly height: number };
}

/** `missing`: the library is not installed; `invalid`: not a readable image; `failed`: the process ended or timed out. */
type ImageResult = (CreatedImage & { readonly kind: 'made' }) | MissingLibrary | FailedImage;

interface MissingLibrary {
  readonly kind: 'missing';
  readonly detail: string;
}

export interface FailedImage {
  readonly kind: 'invalid' | 'failed';
  readonly detail: string;
}

type ImageMessage = ImageResult | { readonly kind: 'ready' };

export const IMAGE_PROGRAM = Symbol('image process');
export const OWN_IMAGE_PROGRAM = fileURLToPath(new URL('./image-process.mjs', import.meta.url));

const IDLE_MS = 30_000;
/** @internal */
const MAX_WAITING = 64;
/** Optional dependency (ADR 0083). */
const LIBRARY = 'sharp';
const HEAP = '--max-old-space-size=64';

const MAX_PIXELS = defineLimit(
  50_000_000,
  'Files',
  'pixels of an image of which sizes are created, all frames together',
  'image_invalid',
);
const TIMEOUT_MS = 15_000;
const LIBRARY_SECONDS = 10;

const PROCESS_EXITED = { kind: 'failed', detail: 'The process has ended.' } as const;

/** Creates images in a separate process, one at a time. The process is started on demand, and restarted after a crash. */
@Injectable()
export class ImageProcess implements OnApplicationShutdown {
  private readonly logger = new Logger('Files');
  private readonly turn = pLimit(1);
  private child: ChildProcess | null = null;
  private missing: MissingLibrary | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(IMAGE_PROGRAM) private readonly program: string) {}

  /**
   * Creates an image. `read` is called when the task starts, so that only one original is open at a time.
   *
   * @throws AppError `server_busy` if too many tasks wait; and the errors of `read`.
   */
  async create(read: () => Promise<ImageTask>): Promise<ImageResult> {
    if (this.turn.pendingCount >= MAX_WAITING) throw new AppError('server_busy');
    return this.turn(async () => {
      clearTimeout(this.idle);
      try {
        const child = this.missing === null ? (this.running() ?? (await this.start())) : null;
        return child === null ? (this.missing ?? PROCESS_EXITED) : await createImage(child, await read());
      } finally {
        this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
      }
    });
  }

  /** Returns the process, unless it is killed and only its end was not reported yet. */
  private running(): ChildProcess | null {
    return this.child?.killed === true ? null : this.child;
  }

  onApplicationShutdown(): void {
    clearTimeout(this.idle);
    this.end();
  }

  /** Returns null if the library is missing, or the process ends immediately. */
  private async start(): Promise<ChildProcess | null> {
    const child = fork(this.program, [LIBRARY], {
      env: {},
      execArgv: [HEAP],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    // A process that dies during a write is handled by its `exit` event.
    child.stdin?.on('error', () => undefined);
    child.on('exit', () => {
      if (this.child === child) this.child = null;
    });
    const message = await nextMessage(child);
    if (message.kind === 'missing') {
      this.missing = message;
      this.logger.warn({
        detail: message.detail,
        msg: 'Images are delivered in their original size, because `sharp` is not installed.',
      });
      return null;
    }
    if (message.kind !== 'ready') return null;
    child.unref();
    child.channel?.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    this.child = child;
    return child;
  }

  private end(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }
}

/** Sends a task to the process. @throws AppError `server_busy` if the bytes of the original cannot be read completely. */
async function createImage(child: ChildProcess, { bytes, ...task }: ImageTask): Promise<ImageResult> {
  const answer = nextMessage(child);
  child.send({ ...task, mostPixels: MAX_PIXELS, timeoutSeconds: LIBRARY_SECONDS }, () => undefined);
  const fault = await pass(bytes, task.length, child.stdin as Writable);
  // The process has received a part and would wait for the rest.
  if (fault !== 'none') child.kill('SIGKILL');
  const outcome = await answer;
  if (fault === 'unread') throw new AppError('server_busy', { cause: bytes.errored });
  return outcome.kind === 'ready' ? PROCESS_EXITED : outcome;
}

/** Pipes the bytes. Returns which side failed. */
async function pass(bytes: Readable, length: number, into: Writable): Promise<'none' | 'unread' | 'unwritten'> {
  try {
    let remaining = length;
    for await (const part of bytes as AsyncIterable<Uint8Array>) {
      remaining -= part.length;
      if (!into.write(part)) await drained(into);
    }
    return remaining === 0 ? 'none' : 'unread';
  } catch {
    return into.destroyed ? 'unwritten' : 'unread';
  }
}

/** @throws Error if the process ends. */
async function drained(into: Writable): Promise<void> {
  const exited = new AbortController();
  try {
    const { signal } = exited;
    await Promise.race([
      once(into, 'drain', { signal }),
      once(into, 'close', { signal }).then(() => {
        throw new Error('The process has ended.');
      }),
    ]);
  } finally {
    exited.abort();
  }
}

/** Returns the next message of the process. Kills the process on a timeout. */
function nextMessage(child: ChildProcess): Promise<ImageMessage> {
  return new Promise((resolve) => {
    const settle = (message: ImageMessage): void => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', exited).off('error', exited);
      resolve(message);
    };
    const exited = (): void => settle(PROCESS_EXITED);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle({ kind: 'failed', detail: 'It took too long.' });
    }, TIMEOUT_MS);
    child.on('message', settle).on('exit', exited).on('error', exited);
  });
}
