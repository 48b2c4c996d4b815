import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Second factors', {
  passkey_invalid: { status: 401, message: 'The passkey is not registered, or its signature is not valid.' },
  factor_not_found: { status: 404, message: 'Second factor not found.' },
  too_many_factors: { status: 409, message: 'The account has too many second factors. Remove one first.' },
  mfa_not_offered: { status: 403, message: 'Second factors are disabled for your roles.' },
  address_unproven: {
    status: 403,
    message:
      'A second factor requires a verified e-mail address. To verify it, sign in with a mailed code or reset the password.',
  },
  no_second_factor: {
    status: 409,
    message: 'The account has no second factor. Add one before you create recovery codes.',
  },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
