import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino';

/** Names of fields whose values are never logged, whatever their case and however their words are joined. */
const SECRET_NAME =
  /(password|passwordconfirmation|token|secret|code|codeverifier|carrier|authorization|cookie|cookies|appkey|apikey|privatekey)$/;

/** An error's `code` is SQLSTATE, a constant of the system or a word of ours. A code that a person types is none of these. */
const ERROR_CODE = /^([0-9A-Z]{5}|[A-Za-z][A-Za-z0-9_.-]*)$/;

/** SQLSTATEs of values that do not fit: the message quotes them (PostgreSQL Appendix A, class 22). */
const QUOTES_VALUE = /^22/;

/** API keys, in whatever text they stand: their form is published so that machines find them. */
const SECRET_FORM = /lin_(?:pat|svc)_[0-9A-Za-z]{36}/g;

const REDACTED = '[redacted]';

/** Deeper than anything that is logged on purpose. */
const DEEPEST = 8;

/**
 * Returns the structured log of the service: one JSON object a line on standard output. Whatever carries the name of a secret is
 * replaced at every depth, so are API keys in any text, and an error is told without the statement and the values that it came from;
 * bodies and query strings are never logged at all.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: loggable },
    // What comes here is plain already; the library would make an error of it again.
    serializers: { err: (error: unknown) => error },
    hooks: { logMethod: nameError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** Names the error of a line: unless something else is said, the library takes the message of the error for that of the line, as it is. */
function nameError(this: Logger, line: Parameters<LogFn>, log: LogFn): void {
  const [first, ...rest] = line.map((part: unknown) => (typeof part === 'string' ? redacted(part) : part));
  const { err = first, msg } = (first ?? {}) as { err?: unknown; msg?: unknown };
  if (line.length === 1 && err instanceof Error && msg === undefined) log.call(this, first, loggableMessage(err));
  else log.apply(this, [first, ...rest] as Parameters<LogFn>);
}

/** An error as it is logged: what finds its cause, and nothing of what a statement carried. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code?: string;
  readonly constraint?: string;
  readonly table?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** Returns the fields of a line of the log without secrets, at every depth; errors by the parts of {@link LoggedError} alone. */
function loggable(fields: Record<string, unknown>): Record<string, unknown> {
  return clean(fields, 0, new Set()) as Record<string, unknown>;
}

/** Returns the message of an error as it may stand in a log: without what it quotes of a value that could not be read. */
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

function loggedError(error: Error, depth: number, within: ReadonlySet<unknown>): LoggedError {
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
