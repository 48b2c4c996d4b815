import { ConsoleLogger } from '@nestjs/common';

/** Logs faults. What fails while the application is put together is thrown as well, and told where the command ends. */
export class CommandLogger extends ConsoleLogger {
  constructor() {
    super({ logLevels: ['error'] });
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) !== 'ExceptionHandler') super.error(message, ...rest);
  }
}
