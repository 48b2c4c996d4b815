import { CONTENT_VARIABLES } from './content-variables.js';
import {
  type Parser,
  parseAddress,
  parseBaseAddress,
  parseBoolean,
  parseDatabaseUrl,
  parseDomain,
  parseEmailKey,
  parseHost,
  parseInteger,
  parseLine,
  parseList,
  parseOneOf,
  parseOrigin,
  parseSecret,
  parseSender,
  parseTrust,
} from './parsers.js';

/** One environment variable: how it is read, what holds without it, what it means. */
export interface Variable<T> {
  readonly parse: Parser<T>;
  /** The default as it is documented. The value itself is computed in `parse-config.ts` where it depends on others. */
  readonly default: string;
  readonly meaning: string;
  /** Never printed, not even in part. */
  readonly secret?: boolean;
  readonly group:
    | 'Service'
    | 'Database'
    | 'Content'
    | 'Mail'
    | 'Authentication'
    | 'Registration policy'
    | 'Native apps'
    | 'Federated-only mode';
}

const MAX_SECONDS = 315_360_000;

function variable<T>(row: Variable<T>): Variable<T> {
  return row;
}

/**
 * Every environment variable of the service (CONTRACT §1; specification, "Configuration variables").
 * `docs/configuration.md` and `.env.example` are made from this table.
 */
export const VARIABLES = {
  NODE_ENV: variable({
    group: 'Service',
    default: 'development',
    parse: parseOneOf('development', 'test', 'production'),
    meaning: '`production` demands `APP_KEY`, and mail where a feature needs it',
  }),
  PORT: variable({
    group: 'Service',
    default: '8000',
    parse: parseInteger(0, 65_535),
    meaning: 'port to listen on; 0 takes a free one',
  }),
  HOST: variable({
    group: 'Service',
    default: '127.0.0.1 (0.0.0.0 in production)',
    parse: parseLine,
    meaning: 'address to listen on',
  }),
  APP_URL: variable({
    group: 'Service',
    default: 'http://localhost:$PORT',
    parse: parseBaseAddress,
    meaning: 'public base address; links in mails, redirect URIs and the token issuer derive from it',
  }),
  APP_NAME: variable({
    group: 'Service',
    default: 'Lintel',
    parse: parseLine,
    meaning: 'name shown in mails and on pages',
  }),
  APP_KEY: variable({
    group: 'Service',
    default: 'made at the first start, kept in $DATA_DIR/app.key',
    secret: true,
    parse: parseSecret(32),
    meaning:
      '32 bytes or more; every signing and hashing key derives from it, and a change ends all sessions. Required in production',
  }),
  DATA_DIR: variable({
    group: 'Service',
    default: './data',
    parse: parseLine,
    meaning: 'embedded database, schema files, uploaded files, plugins, captured mail',
  }),
  SCHEMA_KEEP_DROPPED_DAYS: variable({
    group: 'Service',
    default: '30',
    parse: parseInteger(0, 36_500),
    meaning: 'days for which a dropped column or table is kept aside before it is purged',
  }),
  LOG_LEVEL: variable({
    group: 'Service',
    default: 'info',
    parse: parseOneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    meaning: 'least level that is logged: fatal, error, warn, info, debug, trace or silent',
  }),
  RATE_LIMIT_ENABLED: variable({
    group: 'Service',
    default: 'true',
    parse: parseBoolean,
    meaning: 'built-in limits of attempts; off for benchmarks and tests',
  }),
  CORS_ORIGINS: variable({
    group: 'Service',
    default: '',
    parse: parseList(parseOrigin),
    meaning:
      'origins whose pages may call the API with a token in the header, with commas between them, as `https://app.example.com`; cookies stay with our own',
  }),
  TRUST_PROXY: variable({
    group: 'Service',
    default: '',
    parse: parseTrust,
    meaning: 'number of proxies in front, or a list of their networks (CIDR); only then are forwarded headers believed',
  }),
  DATABASE_URL: variable({
    group: 'Database',
    default: '',
    secret: true,
    parse: parseDatabaseUrl,
    meaning:
      '`postgres://…` of a PostgreSQL server, or of several: `postgres://user:password@one:5432,two:5432/db?target_session_attrs=read-write`; unset starts the embedded one with its data under `$DATA_DIR`',
  }),
  DATABASE_POOL_SIZE: variable({
    group: 'Database',
    default: '10',
    parse: parseInteger(2, 500),
    meaning: 'connections per process',
  }),
  ...CONTENT_VARIABLES,
  MAIL_URL: variable({
    group: 'Mail',
    default: '',
    secret: true,
    parse: parseAddress(['smtp:', 'smtps:'], true),
    meaning:
      '`smtp://user:pass@host:port` or `smtps://…`; unset in development keeps each mail as a `.eml` file under `$DATA_DIR/mail`',
  }),
  MAIL_FROM: variable({
    group: 'Mail',
    default: '$APP_NAME <no-reply@host of $APP_URL>',
    parse: parseSender,
    meaning: 'sender of all mails',
  }),
  AUTH: variable({
    group: 'Authentication',
    default: '{}',
    secret: true,
    parse: parseLineOrJson,
    meaning: 'JSON: `enabled_providers`, `providers`, `registration`, `cli_login`',
  }),
  AUTH_ENABLE_REFRESH_TOKEN: variable({
    group: 'Authentication',
    default: 'false',
    parse: parseBoolean,
    meaning: 'enable refresh tokens',
  }),
  AUTH_REFRESH_TOKEN_LIFETIME: variable({
    group: 'Authentication',
    default: '604800',
    parse: parseInteger(1, MAX_SECONDS),
    meaning: 'refresh token lifetime, seconds (7 days)',
  }),
  AUTH_ACCESS_TOKEN_LIFETIME: variable({
    group: 'Authentication',
    default: '604800 (900 when refresh is enabled)',
    parse: parseInteger(1, MAX_SECONDS),
    meaning: 'access token lifetime, seconds (7 days); 15 minutes when refresh is enabled',
  }),
  AUTH_OTP_ENABLED: variable({
    group: 'Authentication',
    default: 'false',
    parse: parseBoolean,
    meaning: 'enable OTP login',
  }),
  AUTH_OTP_LENGTH: variable({
    group: 'Authentication',
    default: '6',
    parse: parseInteger(4, 12),
    meaning: 'OTP code length',
  }),
  AUTH_OTP_EXPIRATION: variable({
    group: 'Authentication',
    default: '300',
    parse: parseInteger(1, 86_400),
    meaning: 'OTP validity, seconds',
  }),
  AUTH_OTP_MAX_ATTEMPTS: variable({
    group: 'Authentication',
    default: '3',
    parse: parseInteger(1, 20),
    meaning: 'verification attempts before the OTP expires',
  }),
  AUTH_REG_ALLOWED_DOMAINS: variable({
    group: 'Registration policy',
    default: '',
    parse: parseList(parseDomain),
    meaning: 'comma-separated e-mail domain allowlist',
  }),
  AUTH_REG_BLOCKED_DOMAINS: variable({
    group: 'Registration policy',
    default: '',
    parse: parseList(parseDomain),
    meaning: 'comma-separated e-mail domain denylist',
  }),
  AUTH_REG_RESERVED_USERNAMES: variable({
    group: 'Registration policy',
    default: '',
    parse: parseList(parseLine),
    meaning: 'comma-separated reserved usernames',
  }),
  AUTH_CLI_LOGIN_ENABLED: variable({
    group: 'Native apps',
    default: 'false',
    parse: parseBoolean,
    meaning: 'native-app login master switch',
  }),
  AUTH_CLI_ALLOWED_REDIRECT_HOSTS: variable({
    group: 'Native apps',
    default: '',
    parse: parseList(parseHost),
    meaning: 'comma-separated non-loopback https redirect hosts',
  }),
  AUTH_DISABLE_LOCAL_LOGIN: variable({
    group: 'Federated-only mode',
    default: 'false',
    parse: parseBoolean,
    meaning: 'reject password and OTP login; federated providers only',
  }),
  AUTH_ADMIN_EMAILS: variable({
    group: 'Federated-only mode',
    default: '',
    parse: parseList(parseEmailKey),
    meaning: 'comma-separated e-mails granted admin on first federated login',
  }),
};

/** The name of an environment variable of the service. */
export type VariableName = keyof typeof VARIABLES;

/** The parsed values of the variables that are set. */
export type VariableValues = {
  readonly [N in VariableName]?: (typeof VARIABLES)[N] extends Variable<infer T> ? T : never;
};

/** The JSON of `AUTH` may span lines; its content is checked by `auth-settings.ts`. */
function parseLineOrJson(text: string): string {
  return text;
}
