import { inspect } from 'node:util';
import { type DestinationStream, type Level, type LogFn, type Logger, type LoggerOptions, pino } from 'pino';
import type { LoggerService } from '@nestjs/common';

/** Names of fields whose values are never logged, regardless of case and separators. */
const SECRET_NAME =
  /(password|passwordconfirmation|token|secret|code|codeverifier|carrier|authorization|cookie|cookies|appkey|apikey|privatekey)$/;

/** An error's `code` is a SQLSTATE, a constant of the system or an error code. Codes that users enter do not match. */
const ERROR_CODE = /^([0-9A-Z]{5}|[A-Za-z][A-Za-z0-9_.-]*)$/;

/** SQLSTATEs of values that do not fit: the message quotes them (PostgreSQL Appendix A, class 22). */
const QUOTES_VALUE = /^22/;

/** API keys in any text. Their format is published for secret scanners. */
const SECRET_FORM = /lin_(?:pat|svc)_[0-9A-Za-z]{36}/g;

const REDACTED = '[redacted]';

const DEEPEST = 8;

/**
 * Creates the structured log: one JSON object per line on standard output. Secret names and API keys are redacted at every depth. Errors
 * are logged without their statement. Bodies and query strings are never logged.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: (fields) => clean(fields, 0, new Set()) as typeof fields },
    // Errors are already plain objects here. The library would serialize them again.
    serializers: { err: (error: unknown) => error },
    hooks: { logMethod: nameError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Sets the message of a line that has only an error. Otherwise the library would use the error's message without redaction. */
function nameError(this: Logger, line: Parameters<LogFn>, log: LogFn): void {
  const [first, ...rest] = line.map((part: unknown) => (typeof part === 'string' ? redacted(part) : part));
  const { err = first, msg } = (first ?? {}) as { err?: unknown; msg?: unknown };
  if (line.length === 1 && err instanceof Error && msg === undefined) log.call(this, first, loggableMessage(err));
  else log.apply(this, [first, ...rest] as Parameters<LogFn>);
}

function loggableMessage(error: Error): string {
  const { code } = error as { code?: unknown };
  const quotes = error.name === 'SyntaxError' || (typeof code === 'string' && QUOTES_VALUE.test(code));
  return redacted(quotes ? error.message.replace(/["'][^]*["']/, '"…"') : error.message);
}

function redacted(text: string): string {
  return text.replace(SECRET_FORM, REDACTED);
}

function clean(value: unknown, depth: number, above: ReadonlySet<unknown>): unknown {
  if (typeof value === 'string') return redacted(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST || above.has(value)) return '[deep]';
  const within = new Set(above).add(value);
  if (value instanceof Error) return loggedError(value, depth, within);
  if (Array.isArray(value)) return value.map((element) => clean(element, depth + 1, within));
  if (ArrayBuffer.isView(value)) return '[bytes]';
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return clean(toJSON.call(value), depth + 1, within);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, isSecret(name) ? REDACTED : clean(part, depth + 1, within)]),
  );
}

function isSecret(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replace(/[^a-z]/g, ''));
}

/** Returns details to find the cause of an error, without the values of a statement. */
function loggedError(error: Error, depth: number, within: ReadonlySet<unknown>): Record<string, unknown> {
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  const message = loggableMessage(error);
  const { cause } = error;
  const errors = error instanceof AggregateError ? (error.errors as readonly unknown[]) : undefined;
  return {
    type: error.constructor.name === 'Error' ? error.name : error.constructor.name,
    message,
    stack: error.stack === undefined ? undefined : redacted(error.stack.replace(error.message, () => message)),
    ...(typeof code === 'string' && ERROR_CODE.test(code) ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(typeof table === 'string' ? { table } : {}),
    ...(cause === undefined ? {} : { cause: clean(cause, depth + 1, within) }),
    ...(errors === undefined ? {} : { errors: errors.map((one) => clean(one, depth + 1, within)) }),
  };
}

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
