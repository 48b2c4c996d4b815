import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';

/** Contexts in which the framework logs its own setup. */
const ASSEMBLY = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

export class FrameworkLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.write(typeof context === 'string' && ASSEMBLY.has(context) ? 'debug' : 'info', message, rest);
  }

  /** Writes at level error. Errors during the setup are written at debug, because they are thrown and reported as well. */
  error(message: unknown, ...rest: unknown[]): void {
    this.write(rest.at(-1) === 'ExceptionHandler' ? 'debug' : 'error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Writes a line. The last argument is the context. Nest's own exception handlers pass a stack as text before it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = rest.length === 0 ? {} : { context: rest.at(-1) };
    const details = rest.slice(0, -1);
    const [stack] = details;
    if (message instanceof Error) this.logger[level]({ ...context, err: message });
    else if (typeof message === 'object') this.logger[level]({ ...context, ...message });
    else if (typeof message !== 'string') this.logger[level](context, inspect(message), ...details);
    else if (level === 'error' && typeof stack === 'string' && /\n\s*at /.test(stack)) {
      this.logger[level]({ ...context, err: Object.assign(new Error(message), { stack }) });
    } else this.logger[level](context, message, ...details);
  }
}
