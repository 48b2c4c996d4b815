import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import pLimit from 'p-limit';
import { AppError } from '../../kernel/app-error.js';
import type { PictureSize } from '../../kernel/schema-definition.types.js';
import type { PictureFormat } from './picture-format.js';

/** Where the program of the process stands. */
export const PICTURE_PROGRAM = Symbol('picture program');
export const OWN_PICTURE_PROGRAM = fileURLToPath(new URL('./picture-process.mjs', import.meta.url));

/** What is made of a picture. */
export interface PictureTask extends PictureSize {
  readonly bytes: Uint8Array;
  /** Null for that of the picture, as far as every browser shows it. */
  readonly format: PictureFormat | null;
}

/** A picture that was made. */
export interface MadePicture {
  readonly bytes: Buffer;
  readonly format: PictureFormat;
  /** The picture that it was made of, as it is shown, in pixels. */
  readonly original: { readonly width: number; readonly height: number };
}

/** `missing`: there is no library; `invalid`: it is no picture that can be read; `failed`: the process ended, or took too long. */
export type PictureOutcome = (MadePicture & { readonly kind: 'made' }) | MissingLibrary | UnmadePicture;

interface MissingLibrary {
  readonly kind: 'missing';
  readonly detail: string;
}

/** A picture that could not be made. */
export interface UnmadePicture {
  readonly kind: 'invalid' | 'failed';
  readonly detail: string;
}

type Message = PictureOutcome | { readonly kind: 'ready' };

/** Pixels of a picture, of all its frames together. */
const MOST_PIXELS = 50_000_000;
const TIMEOUT_MS = 15_000;
/** How long the process waits for the next picture. */
const IDLE_MS = 30_000;
/** Pictures that wait for their turn. */
const MOST_WAITING = 64;
/** What makes them, where it is installed: nobody has to (ADR 0083). */
const LIBRARY = 'sharp';
const HEAP = '--max-old-space-size=64';

/** Has pictures made by a process of its own, one at a time. It is started when there is one to make, and again after it died. */
@Injectable()
export class PictureProcess implements OnModuleDestroy {
  private readonly logger = new Logger('Files');
  private readonly turn = pLimit(1);
  private child: ChildProcess | null = null;
  private missing: MissingLibrary | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(PICTURE_PROGRAM) private readonly program: string) {}

  /**
   * Makes a picture.
   *
   * @param read is called when it is its turn, so that one picture at a time is in memory.
   * @throws AppError `server_busy` if too many wait; what `read` throws.
   */
  async make(read: () => Promise<PictureTask>): Promise<PictureOutcome> {
    if (this.turn.pendingCount >= MOST_WAITING) throw new AppError('server_busy');
    return this.turn(async () => {
      clearTimeout(this.idle);
      try {
        const child = this.missing === null ? (this.child ?? (await this.start())) : null;
        return child === null ? (this.missing ?? ENDED) : await answerOf(child, await read());
      } finally {
        this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
      }
    });
  }

  onModuleDestroy(): void {
    clearTimeout(this.idle);
    this.end();
  }

  /** Starts the process; null if it has nothing to make pictures by, or ends at once. */
  private async start(): Promise<ChildProcess | null> {
    const child = fork(this.program, [LIBRARY], {
      env: {},
      execArgv: [HEAP],
      serialization: 'advanced',
      stdio: 'ignore',
    });
    child.on('exit', () => {
      if (this.child === child) this.child = null;
    });
    const said = await answerOf(child, null);
    if (said.kind === 'missing') {
      this.missing = said;
      this.logger.warn({
        detail: said.detail,
        msg: 'Pictures are answered in their own size: `sharp` is not installed.',
      });
      return null;
    }
    if (said.kind !== 'ready') return null;
    child.unref();
    child.channel?.unref();
    this.child = child;
    return child;
  }

  private end(): void {
    this.child?.kill('SIGKILL');
    this.child = null;
  }
}

const ENDED = { kind: 'failed', detail: 'The process has ended.' } as const;

/** Returns what the process says next; one that says nothing in time is ended. */
function answerOf(child: ChildProcess, task: null): Promise<Message>;
function answerOf(child: ChildProcess, task: PictureTask): Promise<PictureOutcome>;
function answerOf(child: ChildProcess, task: PictureTask | null): Promise<Message> {
  return new Promise((resolve) => {
    const settle = (message: Message): void => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', ended).off('error', ended);
      resolve(message);
    };
    const ended = (): void => settle(ENDED);
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle({ kind: 'failed', detail: 'It took too long.' });
    }, TIMEOUT_MS);
    child.on('message', settle).on('exit', ended).on('error', ended);
    if (task === null) return;
    const limits = { mostPixels: MOST_PIXELS, timeoutSeconds: Math.floor(TIMEOUT_MS / 1_500) };
    child.send({ ...task, ...limits }, (error) => error && ended());
  });
}
