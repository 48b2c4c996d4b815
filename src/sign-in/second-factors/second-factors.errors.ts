import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Second factors', {
  passkey_invalid: { status: 401, message: 'This passkey is not known here, or what it signed is not valid.' },
  factor_not_found: { status: 404, message: 'There is no such second factor.' },
  too_many_factors: { status: 409, message: 'An account has no more second factors than this.' },
  mfa_not_offered: { status: 403, message: 'Your roles have no second factors.' },
  address_unproven: {
    status: 403,
    message:
      'A second factor needs a proven e-mail address. Prove the address: sign in with a mailed code, or reset the password.',
  },
  no_second_factor: { status: 409, message: 'Recovery codes are for accounts that have a second factor.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
