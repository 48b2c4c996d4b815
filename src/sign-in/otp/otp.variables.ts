import { defineVariables, parseBoolean, parseInteger } from '../../platform/config/config.public.js';

export const OTP_VARIABLES = defineVariables(
  'Authentication',
  {
    AUTH_OTP_ENABLED: { default: false, parse: parseBoolean, meaning: 'enables sign-in with a mailed code' },
    AUTH_OTP_LENGTH: { default: 6, parse: parseInteger(4, 12), meaning: 'number of digits of a mailed code' },
    AUTH_OTP_EXPIRATION: {
      default: 300,
      parse: parseInteger(1, 86_400),
      meaning: 'lifetime of a mailed code, in seconds',
    },
    AUTH_OTP_MAX_ATTEMPTS: {
      default: 3,
      parse: parseInteger(1, 20),
      meaning: 'attempts before a mailed code becomes invalid',
      error: 'otp_invalid',
    },
  },
  {
    settings: (values) => ({
      auth: {
        otp: {
          enabled: values.AUTH_OTP_ENABLED,
          length: values.AUTH_OTP_LENGTH,
          expirationSeconds: values.AUTH_OTP_EXPIRATION,
          maxAttempts: values.AUTH_OTP_MAX_ATTEMPTS,
        },
      },
    }),
    faults: ({ mail, auth }) => {
      const isWithoutMail = mail.delivery === 'off' && !auth.localLoginDisabled;
      return isWithoutMail && auth.otp.enabled ? ['MAIL_URL must be set for AUTH_OTP_ENABLED'] : [];
    },
  },
);

declare module '../../identity/auth/auth-config.types.js' {
  interface AuthConfig {
    readonly otp: {
      readonly enabled: boolean;
      readonly length: number;
      readonly expirationSeconds: number;
      readonly maxAttempts: number;
    };
  }
}
