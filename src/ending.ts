import type { Logger } from 'pino';

/** Time that requests in flight may take once the process is to end. @internal */
const LONGEST_MS = 30_000;
/** A key press in a terminal reaches the whole process group, and npm passes it on once more. */
const SAME_REQUEST_MS = 1_000;

/**
 * Ends the process: with 0 when it is asked to, with 1 after a fault that nobody foresaw. What is in flight is finished first,
 * unless an exception has left nobody knows what behind: then it ends at once. Somebody has to start it again.
 */
export class Ending {
  private finish = (): Promise<void> => Promise.resolve();
  private askedAt: number | null = null;
  private isEnding = false;

  /** Listens to signals and faults from now on. Until {@link finishWith} there is nothing to finish, and a signal ends the process at once. */
  constructor(private readonly logger: Logger) {
    process.on('unhandledRejection', (err) => {
      logger.fatal({ err, msg: 'A promise was rejected and nobody listened; the process ends.' });
      this.end(1);
    });
    process.on('uncaughtException', (err) => {
      logger.fatal({ err, msg: 'An exception was caught by nobody; the process ends.' });
      process.exit(1);
    });
  }

  /** Says what is to be finished first. */
  finishWith(finish: () => Promise<void>): void {
    this.finish = finish;
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, (signal) => this.asked(signal));
  }

  /** Notes that it was asked to end. Whoever asks again, and not by the same key press, ends it at once. */
  private asked(signal: NodeJS.Signals): void {
    if (this.askedAt !== null) {
      if (performance.now() - this.askedAt > SAME_REQUEST_MS) process.exit(1);
      return;
    }
    this.askedAt = performance.now();
    this.logger.info({ signal, msg: 'stopping' });
    this.end(0);
  }

  private end(code: 0 | 1): void {
    // A fault on the way out is told by the code.
    process.exitCode = Math.max(code, Number(process.exitCode ?? 0));
    if (this.isEnding) return;
    this.isEnding = true;
    setTimeout(() => process.exit(1), LONGEST_MS).unref();
    this.finish().then(
      () => process.exit(),
      (err: unknown) => {
        this.logger.error({ err, msg: 'could not stop in order' });
        process.exit(1);
      },
    );
  }
}
