import {
  defineVariables,
  parseBoolean,
  parseInteger,
  parseOneOf,
  type Parser,
  ValueFault,
} from '../../platform/config/config.public.js';
import { AuthSettingsReader } from './auth-settings.js';
import { openPlaces } from './sessions/session-places.service.js';

/** @internal */
const MAX_SECONDS = 315_360_000;
const DEFAULT_LIFETIME_SECONDS = 604_800;
const DEFAULT_ACCESS_LIFETIME_WITH_REFRESH_SECONDS = 900;

/** Opens the GeoIP database once to validate the file, and returns its path. */
const parsePlaces: Parser<string> = (path) => {
  try {
    openPlaces(path);
    return path;
  } catch {
    throw new ValueFault('name a database of addresses in the MaxMind format');
  }
};

/** Sessions, tokens and `AUTH`, which the sign-in methods read too (specification, "Configuration variables"). */
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
    AUTH_ENABLE_REFRESH_TOKEN: { default: false, parse: parseBoolean, meaning: 'enable refresh tokens' },
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
        'how access tokens are signed: `HS256`, or `EdDSA` so that other services can check them by `/.well-known/jwks.json`; a change ends all of them',
    },
    GEOIP_FILE: {
      parse: parsePlaces,
      meaning:
        'file in the MaxMind format (`.mmdb`, such as GeoLite2 City) by which people are told where their sessions are; nothing is asked of the network',
    },
    AUTH_MFA_REMEMBER_DAYS: {
      default: 30,
      parse: parseInteger(0, 365),
      meaning: 'days for which people may have a browser not ask for their second factor again; 0: never',
    },
    AUTH_RECOVERY_WINDOW: {
      default: 604_800,
      parse: parseInteger(0, MAX_SECONDS),
      meaning:
        'how long after its creation a second factor can be revoked by recovery and by an administrator’s change of password or e-mail, seconds (7 days)',
    },
    AUTH_RECOVERY_DELAY: {
      default: 86_400,
      parse: parseInteger(0, 604_800),
      meaning:
        'how long recovery without another proof waits before it revokes older second factors, seconds (24 hours, at most 7 days); a mail notifies the owner, who cancels it by using a factor',
    },
    AUTH_DISABLE_LOCAL_LOGIN: {
      group: 'Federated-only mode',
      default: false,
      parse: parseBoolean,
      meaning: 'reject password and OTP login; federated providers only',
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
