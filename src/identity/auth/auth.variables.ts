import {
  defineVariables,
  parseBoolean,
  parseInteger,
  parseOneOf,
  type Parser,
  ValueFault,
} from '../../platform/config/config.public.js';
import { AuthSettingsReader } from './auth-settings.js';
import { openGeoDatabase } from './sessions/session-locations.service.js';

/** @internal */
const MAX_SECONDS = 315_360_000;
const DEFAULT_LIFETIME_SECONDS = 604_800;
const DEFAULT_ACCESS_LIFETIME_WITH_REFRESH_SECONDS = 900;

/** Opens the GeoIP database once to validate the file, and returns its path. */
const parseGeoDatabase: Parser<string> = (path) => {
  try {
    openGeoDatabase(path);
    return path;
  } catch {
    throw new ValueFault('name a location database in the MaxMind format');
  }
};

/** Sessions, tokens and `AUTH`, which the sign-in methods read too. */
export const AUTH_VARIABLES = defineVariables(
  'Authentication',
  {
    AUTH: {
      default: new AuthSettingsReader(() => undefined).read('{}'),
      defaultText: '{}',
      secret: true,
      parse: (text, report) => new AuthSettingsReader(report).read(text),
      meaning: 'JSON: `enabled_providers`, `providers`, `registration`, `cli_login`',
    },
    AUTH_ENABLE_REFRESH_TOKEN: { default: false, parse: parseBoolean, meaning: 'enables refresh tokens' },
    AUTH_REFRESH_TOKEN_LIFETIME: {
      default: DEFAULT_LIFETIME_SECONDS,
      parse: parseInteger(1, MAX_SECONDS),
      meaning: 'refresh token lifetime, seconds (7 days)',
    },
    AUTH_ACCESS_TOKEN_LIFETIME: {
      defaultText: `${DEFAULT_LIFETIME_SECONDS} (${DEFAULT_ACCESS_LIFETIME_WITH_REFRESH_SECONDS} when refresh is enabled)`,
      inForce: ({ auth }) => String(auth.accessTokenLifetimeSeconds),
      parse: parseInteger(1, MAX_SECONDS),
      meaning: 'access token lifetime, seconds (7 days); 15 minutes when refresh is enabled',
    },
    AUTH_TOKEN_ALG: {
      default: 'HS256',
      parse: parseOneOf('HS256', 'EdDSA'),
      meaning:
        'signature algorithm of access tokens: `HS256`, or `EdDSA`, which other services can verify with `/.well-known/jwks.json`; a change invalidates all access tokens',
    },
    GEOIP_FILE: {
      parse: parseGeoDatabase,
      meaning:
        'location database in the MaxMind format (`.mmdb`, such as GeoLite2 City), to show users the locations of their sessions; lookups are local',
    },
    AUTH_MFA_REMEMBER_DAYS: {
      default: 30,
      parse: parseInteger(0, 365),
      meaning:
        'days for which users can remember a browser, so that it does not require a second factor; 0 disables it',
    },
    AUTH_RECOVERY_WINDOW: {
      default: 604_800,
      parse: parseInteger(0, MAX_SECONDS),
      meaning:
        'time after its creation in which recovery, or a change of the password or e-mail by an administrator, revokes a second factor, in seconds (7 days)',
    },
    AUTH_RECOVERY_DELAY: {
      default: 86_400,
      parse: parseInteger(0, 604_800),
      meaning:
        'delay before recovery without another proof revokes older second factors, in seconds (24 hours, at most 7 days); the owner is notified by mail and cancels the removal by using a factor',
    },
    AUTH_DISABLE_LOCAL_LOGIN: {
      group: 'Federated-only mode',
      default: false,
      parse: parseBoolean,
      meaning: 'disable sign-in with a password or mailed code; only federated providers are allowed',
    },
  },
  {
    settings: (values) => {
      const refreshTokenEnabled = values.AUTH_ENABLE_REFRESH_TOKEN;
      const accessDefault = refreshTokenEnabled
        ? DEFAULT_ACCESS_LIFETIME_WITH_REFRESH_SECONDS
        : DEFAULT_LIFETIME_SECONDS;
      return {
        auth: {
          refreshTokenEnabled,
          refreshTokenLifetimeSeconds: values.AUTH_REFRESH_TOKEN_LIFETIME,
          accessTokenLifetimeSeconds: values.AUTH_ACCESS_TOKEN_LIFETIME ?? accessDefault,
          tokenAlgorithm: values.AUTH_TOKEN_ALG,
          rememberDays: values.AUTH_MFA_REMEMBER_DAYS,
          recoveryWindowSeconds: values.AUTH_RECOVERY_WINDOW,
          recoveryDelaySeconds: values.AUTH_RECOVERY_DELAY,
          localLoginDisabled: values.AUTH_DISABLE_LOCAL_LOGIN,
          geoIpFile: values.GEOIP_FILE ?? null,
        },
      };
    },
  },
);
