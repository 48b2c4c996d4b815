import { AUTH_VARIABLES } from '../../identity/auth/auth.variables.js';
import {
  defineVariables,
  parseBoolean,
  parseHost,
  parseList,
  parseRedirectUri,
} from '../../platform/config/config.public.js';

/** Native-app login. A variable overrides the same field of `AUTH.cli_login`. */
export const CLI_LOGIN_VARIABLES = defineVariables(
  'Native apps',
  {
    AUTH_CLI_LOGIN_ENABLED: {
      defaultText: 'false',
      parse: parseBoolean,
      meaning: 'native-app login master switch',
    },
    AUTH_CLI_ALLOWED_REDIRECT_HOSTS: {
      parse: parseList(parseHost),
      meaning: 'comma-separated non-loopback https redirect hosts',
    },
    AUTH_CLI_ALLOWED_REDIRECT_URIS: {
      parse: parseList(parseRedirectUri),
      meaning: 'comma-separated redirect addresses, each exact; if set, the only ones of `GET /api/auth/authorize`',
    },
  },
  {
    settings: (values, { of }) => {
      const { cliLogin } = of(AUTH_VARIABLES).AUTH;
      return {
        auth: {
          cliLogin: {
            enabled: values.AUTH_CLI_LOGIN_ENABLED ?? cliLogin.enabled ?? false,
            allowedRedirectHosts: values.AUTH_CLI_ALLOWED_REDIRECT_HOSTS ?? cliLogin.allowedRedirectHosts ?? [],
            allowedRedirectUris: values.AUTH_CLI_ALLOWED_REDIRECT_URIS ?? cliLogin.allowedRedirectUris ?? [],
          },
        },
      };
    },
  },
);

declare module '../../identity/auth/auth-config.types.js' {
  interface AuthConfig {
    readonly cliLogin: {
      readonly enabled: boolean;
      readonly allowedRedirectHosts: readonly string[];
      readonly allowedRedirectUris: readonly string[];
    };
  }
}
