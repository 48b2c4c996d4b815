import { AUTH_VARIABLES } from '../../identity/auth/auth.variables.js';
import type { CliLoginSettings } from '../../identity/auth/carrier/cli-login-settings.port.js';
import {
  defineVariables,
  parseBoolean,
  parseHost,
  parseList,
  parseRedirectUri,
} from '../../platform/config/config.public.js';

/** Native-app login. A variable overrides the same field of `AUTH.cli_login`. */
export const CLI_LOGIN_VARIABLES = defineVariables(
  'Native and web apps',
  {
    AUTH_CLI_LOGIN_ENABLED: {
      defaultText: 'false',
      parse: parseBoolean,
      meaning: 'enables sign-in to native apps and web apps',
    },
    AUTH_CLI_ALLOWED_REDIRECT_HOSTS: {
      parse: parseList(parseHost),
      meaning: 'allowed hosts of https redirect URIs of native apps, separated by commas; loopback is always allowed',
    },
    AUTH_CLI_ALLOWED_REDIRECT_URIS: {
      parse: parseList(parseRedirectUri),
      meaning:
        'exact redirect URIs of web apps and native apps, separated by commas; if set, `GET /api/auth/authorize` accepts only these',
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
    readonly cliLogin: CliLoginSettings;
  }
}
