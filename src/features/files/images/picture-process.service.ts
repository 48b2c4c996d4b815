import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pLimit from 'p-limit';
import { AppError } from '../../../kernel/errors/app-error.js';
import {
  ENDED,
  makePicture,
  type MissingLibrary,
  nextMessage,
  type PictureOutcome,
  type PictureTask,
} from './picture-exchange.js';

export const PICTURE_PROGRAM = Symbol('picture program');
export const OWN_PICTURE_PROGRAM = fileURLToPath(new URL('./picture-process.mjs', import.meta.url));

const IDLE_MS = 30_000;
/** @internal */
const MOST_WAITING = 64;
/** Optional dependency (ADR 0083). */
const LIBRARY = 'sharp';
const HEAP = '--max-old-space-size=64';

/** Creates images in a separate process, one at a time. The process is started on demand, and restarted after a crash. */
@Injectable()
export class PictureProcess implements OnApplicationShutdown {
  private readonly logger = new Logger('Files');
  private readonly turn = pLimit(1);
  private child: ChildProcess | null = null;
  private missing: MissingLibrary | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(PICTURE_PROGRAM) private readonly program: string) {}

  /**
   * Creates an image. `read` is called when the task starts, so that only one original is open at a time.
   *
   * @throws AppError `server_busy` if too many tasks wait; and the errors of `read`.
   */
  async make(read: () => Promise<PictureTask>): Promise<PictureOutcome> {
    if (this.turn.pendingCount >= MOST_WAITING) throw new AppError('server_busy');
    return this.turn(async () => {
      clearTimeout(this.idle);
      try {
        const child = this.missing === null ? (this.child ?? (await this.start())) : null;
        return child === null ? (this.missing ?? ENDED) : await makePicture(child, await read());
      } finally {
        this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
      }
    });
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
        msg: 'Pictures are answered in their own size: `sharp` is not installed.',
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
