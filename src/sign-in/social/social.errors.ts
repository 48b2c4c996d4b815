import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Social sign-in', {
  provider_not_found: { status: 404, message: 'This provider is not offered here.' },
  provider_denied: { status: 401, message: 'The provider did not complete the sign-in.' },
  provider_unavailable: { status: 503, message: 'The provider does not answer at the moment; try again later.' },
  provider_failed: { status: 502, message: 'The provider gave an answer that cannot be trusted.' },
  state_invalid: {
    status: 401,
    message: 'The sign-in took too long, was completed before, or began in another browser.',
  },
  email_not_verified: { status: 401, message: 'The e-mail address has not been verified.' },
  email_unusable: { status: 401, message: 'The e-mail address of the provider account cannot be used here.' },
  email_taken_by_other_method: {
    status: 401,
    message: 'An account with this address exists and is reached another way; sign in there and link the provider.',
  },
  identity_not_found: { status: 404, message: 'There is no such linked provider.' },
  identity_taken: { status: 400, message: 'This account of the provider is linked to another account here.' },
  identity_mismatch: {
    status: 403,
    message: 'This account of the provider is not linked to your account. Use the linked one.',
  },
  last_way_in: { status: 400, message: 'This is the only way to sign in to the account; it cannot be removed.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
