import { AUTH_VARIABLES } from '../../identity/auth/auth.variables.js';
import type { VerificationMethod } from '../../identity/auth/auth-config.types.js';
import { defineVariables } from '../../platform/config/config.public.js';

/** Local accounts have no variables. They are configured by `AUTH.providers.local`. */
export const LOCAL_VARIABLES = defineVariables(
  'Authentication',
  {},
  {
    settings: (_, { config: { appUrl }, of }) => {
      const { local } = of(AUTH_VARIABLES).AUTH;
      return {
        auth: {
          local: {
            verificationMethod: local.verificationMethod ?? 'link',
            activationUrl: local.activationUrl ?? `${appUrl}/auth/local/activate`,
            recoveryUrl: local.recoveryUrl ?? `${appUrl}/auth/local/recover`,
            emailChangeUrl: local.emailChangeUrl ?? `${appUrl}/auth/local/email/confirm`,
          },
        },
      };
    },
  },
);

declare module '../../identity/auth/auth-config.types.js' {
  interface LocalSettings {
    readonly verificationMethod: VerificationMethod;
    readonly activationUrl: string;
    readonly recoveryUrl: string;
    readonly emailChangeUrl: string;
  }
}
