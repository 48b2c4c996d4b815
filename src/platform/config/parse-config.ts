import { resolve } from 'node:path';
import { type AuthSettings, AuthSettingsReader } from './auth-settings.js';
import { contentSettings } from './content-variables.js';
import type { AuthConfig, Config, ProviderSettings, RegistrationPolicySettings } from './config.types.js';
import { type VariableName, VARIABLES, type VariableValues } from './variables.js';

/** Environment variables by name, as the process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All faults of a configuration at once. Each names its variable and never shows a secret. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(['The configuration has faults:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/** What a feature knows to be wrong with its part of a configuration. Each fault names its variable and never shows a secret. */
export type ConfigCheck = (config: Config) => readonly string[];

/** Providers that know their own issuer or endpoints. */
const PROVIDER_PRESETS = ['google', 'microsoft', 'apple', 'github'] as const;

const DEFAULT_LIFETIME_SECONDS = 604_800;
const DEFAULT_ACCESS_LIFETIME_WITH_REFRESH_SECONDS = 900;

/**
 * Reads the whole configuration (CONTRACT §1). `APP_KEY` may still be empty outside production: the caller makes one.
 *
 * @param checks of the features, whose faults are listed with the others.
 * @throws ConfigError with every fault at once.
 */
export function parseConfig(environment: Environment, checks: readonly ConfigCheck[] = []): Config {
  const faults: string[] = [];
  const values = readVariables(environment, faults);
  const reader = new AuthSettingsReader((place, fault) => faults.push(`${place} must ${fault}`));
  const settings = reader.read(values.AUTH ?? '{}');
  const config = buildConfig(values, settings);
  faults.push(...crossFaults(config, values, settings), ...checks.flatMap((check) => check(config)));
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(config);
}

function readVariables(environment: Environment, faults: string[]): VariableValues {
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of Object.keys(VARIABLES) as VariableName[]) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    try {
      values[name] = VARIABLES[name].parse(text);
    } catch (error) {
      faults.push(`${name} must ${error instanceof Error ? error.message : 'be valid'}`);
    }
  }
  return values as VariableValues;
}

function buildConfig(values: VariableValues, settings: AuthSettings): Config {
  const production = values.NODE_ENV === 'production';
  const port = values.PORT ?? 8000;
  const appUrl = values.APP_URL ?? `http://localhost:${port}`;
  const appName = values.APP_NAME ?? 'Lintel';
  return {
    production,
    port,
    host: values.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    appUrl,
    appName,
    appKey: values.APP_KEY ?? '',
    dataDir: resolve(values.DATA_DIR ?? './data'),
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE ?? 10,
    mail: {
      url: values.MAIL_URL,
      from: values.MAIL_FROM ?? { name: appName, address: `no-reply@${new URL(appUrl).hostname}` },
    },
    schemaKeepDroppedDays: values.SCHEMA_KEEP_DROPPED_DAYS ?? 30,
    content: contentSettings(values),
    rateLimitEnabled: values.RATE_LIMIT_ENABLED ?? true,
    corsOrigins: values.CORS_ORIGINS ?? [],
    trustProxy: values.TRUST_PROXY ?? false,
    logLevel: values.LOG_LEVEL ?? 'info',
    auth: buildAuth(values, settings, appUrl),
  };
}

function buildAuth(values: VariableValues, settings: AuthSettings, appUrl: string): AuthConfig {
  const refreshTokenEnabled = values.AUTH_ENABLE_REFRESH_TOKEN ?? false;
  const accessDefault = refreshTokenEnabled ? DEFAULT_ACCESS_LIFETIME_WITH_REFRESH_SECONDS : DEFAULT_LIFETIME_SECONDS;
  return {
    refreshTokenEnabled,
    refreshTokenLifetimeSeconds: values.AUTH_REFRESH_TOKEN_LIFETIME ?? DEFAULT_LIFETIME_SECONDS,
    accessTokenLifetimeSeconds: values.AUTH_ACCESS_TOKEN_LIFETIME ?? accessDefault,
    otp: {
      enabled: values.AUTH_OTP_ENABLED ?? false,
      length: values.AUTH_OTP_LENGTH ?? 6,
      expirationSeconds: values.AUTH_OTP_EXPIRATION ?? 300,
      maxAttempts: values.AUTH_OTP_MAX_ATTEMPTS ?? 3,
    },
    registration: buildPolicy(values, settings),
    cliLogin: {
      enabled: values.AUTH_CLI_LOGIN_ENABLED ?? settings.cliLogin.enabled ?? false,
      allowedRedirectHosts: values.AUTH_CLI_ALLOWED_REDIRECT_HOSTS ?? settings.cliLogin.allowedRedirectHosts ?? [],
    },
    localLoginDisabled: values.AUTH_DISABLE_LOCAL_LOGIN ?? false,
    adminEmails: values.AUTH_ADMIN_EMAILS ?? [],
    local: {
      activationMethod: settings.local.activationMethod ?? (values.MAIL_URL === undefined ? 'auto' : 'email'),
      verificationMethod: settings.local.verificationMethod ?? 'link',
      activationUrl: settings.local.activationUrl ?? `${appUrl}/auth/local/activate`,
      recoveryUrl: settings.local.recoveryUrl ?? `${appUrl}/auth/local/recover`,
      emailChangeUrl: settings.local.emailChangeUrl ?? `${appUrl}/auth/local/email/confirm`,
    },
    providers: socialNames(settings).flatMap((name) => settings.providers.find((row) => row.name === name) ?? []),
  };
}

/** What `enabled_providers` names, each once. `local` may stand there: whether it is offered AUTH_DISABLE_LOCAL_LOGIN says. */
function socialNames({ enabledProviders }: AuthSettings): string[] {
  return [...new Set(enabledProviders)].filter((name) => name !== 'local');
}

/** Variables win over the same field of `AUTH.registration`; either enables the policy with normalisation on. */
function buildPolicy(values: VariableValues, settings: AuthSettings): RegistrationPolicySettings | null {
  const lists = [values.AUTH_REG_ALLOWED_DOMAINS, values.AUTH_REG_BLOCKED_DOMAINS, values.AUTH_REG_RESERVED_USERNAMES];
  const { registration } = settings;
  if (registration === undefined && lists.every((list) => list === undefined)) return null;
  const reserved = values.AUTH_REG_RESERVED_USERNAMES ?? registration?.reservedUsernames ?? [];
  return {
    allowedEmailDomains: values.AUTH_REG_ALLOWED_DOMAINS ?? registration?.allowedEmailDomains ?? [],
    blockedEmailDomains: values.AUTH_REG_BLOCKED_DOMAINS ?? registration?.blockedEmailDomains ?? [],
    reservedUsernames: reserved.map((name) => name.toLowerCase()),
    normalizeEmail: registration?.normalizeEmail ?? true,
  };
}

function crossFaults(config: Config, values: VariableValues, settings: AuthSettings): string[] {
  const faults = socialNames(settings).flatMap((name) => providerFaults(name, settings.providers));
  const { auth } = config;
  if (config.production && config.appKey === '') faults.push('APP_KEY must be set in production');
  if (auth.localLoginDisabled && auth.providers.length === 0) {
    faults.push('AUTH_DISABLE_LOCAL_LOGIN must not be true without a social provider in AUTH.enabled_providers');
  }
  if (values.MAIL_URL === undefined && config.production && !auth.localLoginDisabled) {
    if (auth.local.activationMethod === 'email') faults.push('MAIL_URL must be set for the activation method email');
    if (auth.otp.enabled) faults.push('MAIL_URL must be set for AUTH_OTP_ENABLED');
  }
  return faults;
}

function providerFaults(name: string, providers: readonly ProviderSettings[]): string[] {
  const provider = providers.find((row) => row.name === name);
  if (provider === undefined) return [`AUTH.enabled_providers names ${name}, which must stand in AUTH.providers`];
  const place = `AUTH.providers.${name}`;
  const faults: string[] = [];
  if (provider.clientId === '') faults.push(`${place}.client_id must be set`);
  const signsItself = provider.extra['private_key'] !== undefined;
  if (provider.clientSecret === '' && !signsItself) faults.push(`${place}.client_secret must be set`);
  const knowsIssuer = (PROVIDER_PRESETS as readonly string[]).includes(name);
  if (provider.issuer === undefined && !knowsIssuer) faults.push(`${place}.issuer must be set`);
  return faults;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
