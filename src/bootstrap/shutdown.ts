import type { Logger } from 'pino';

/** Maximum time for requests in flight. @internal */
const MAX_DURATION_MS = 30_000;
/** Signals within this time are one request: Ctrl+C reaches the whole process group, and npm sends the signal again. */
const REPEATED_SIGNAL_MS = 1_000;

/**
 * Exits the process: with code 0 after SIGTERM or SIGINT, with code 1 after an unhandled error. Requests in flight are finished first,
 * except after an uncaught exception, because the state of the process is unknown. A second signal exits immediately.
 */
export class Shutdown {
  private finish = (): Promise<void> => Promise.resolve();
  private signalledAt: number | null = null;
  private isStopping = false;

  /** Handles unhandled errors. Signals are handled after {@link finishWith}; before that, a signal exits immediately. */
  constructor(private readonly logger: Logger) {
    process.on('unhandledRejection', (err) => {
      logger.fatal({ err, msg: 'Unhandled promise rejection. The process ends.' });
      this.end(1);
    });
    process.on('uncaughtException', (err) => {
      logger.fatal({ err, msg: 'Uncaught exception. The process ends.' });
      process.exit(1);
    });
  }

  finishWith(finish: () => Promise<void>): void {
    this.finish = finish;
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, (signal) => this.stop(signal));
  }

  private stop(signal: NodeJS.Signals): void {
    if (this.signalledAt !== null) {
      if (performance.now() - this.signalledAt > REPEATED_SIGNAL_MS) process.exit(1);
      return;
    }
    this.signalledAt = performance.now();
    this.logger.info({ signal, msg: 'stopping' });
    this.end(0);
  }

  private end(code: 0 | 1): void {
    // An error during the shutdown changes the code.
    process.exitCode = Math.max(code, Number(process.exitCode ?? 0));
    if (this.isStopping) return;
    this.isStopping = true;
    setTimeout(() => process.exit(1), MAX_DURATION_MS).unref();
    this.finish().then(
      () => process.exit(),
      (err: unknown) => {
        this.logger.error({ err, msg: 'The shutdown failed.' });
        process.exit(1);
      },
    );
  }
}
