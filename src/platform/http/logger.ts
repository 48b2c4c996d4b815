import { type DestinationStream, type LogFn, type Logger, type LoggerOptions, pino } from 'pino';
import { loggable, loggableMessage } from './log-fields.js';

/**
 * The structured log of the service: one JSON object a line on standard output. Whatever carries the name of a secret is
 * replaced at every depth, and an error is told without the statement and the values that it came from; bodies and query
 * strings are never logged at all.
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

/** Where nothing else is said, the library takes the message of the error for that of the line, as it is. */
function nameError(this: Logger, line: Parameters<LogFn>, log: LogFn): void {
  const [first] = line as readonly unknown[];
  const { err = first, msg } = (first ?? {}) as { err?: unknown; msg?: unknown };
  if (line.length === 1 && err instanceof Error && msg === undefined) log.call(this, first, loggableMessage(err));
  else log.apply(this, line);
}
