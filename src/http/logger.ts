import { type DestinationStream, type Logger, pino } from 'pino';

const SECRET_NAMES = [
  'password',
  'password_confirmation',
  'current_password',
  'token',
  'refresh_token',
  'code',
  'code_verifier',
  'carrier',
  'authorization',
  'cookie',
  'secret',
  'client_secret',
  'appKey',
];

/**
 * The structured log of the service: one JSON object a line on standard output. Whatever carries the name of a secret is
 * replaced, at the top and one level below; bodies and query strings are never logged at all.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_NAMES.flatMap((name) => [name, `*.${name}`]);
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths, censor: '[redacted]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
