import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('One-time codes', {
  otp_disabled: { status: 403, message: 'Sign-in with a mailed code is disabled.' },
  otp_invalid: { status: 401, message: 'The code is wrong or has expired.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
