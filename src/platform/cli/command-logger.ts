import { ConsoleLogger } from '@nestjs/common';

/** Logs errors. Errors of the startup are not logged here, because they are thrown and reported at the end of the command. */
export class CommandLogger extends ConsoleLogger {
  constructor() {
    super({ logLevels: ['error'] });
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }
}
