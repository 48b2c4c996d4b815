import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Social sign-in', {
  provider_not_found: { status: 404, message: 'This provider is not enabled.' },
  provider_denied: { status: 401, message: 'The provider did not complete the sign-in.' },
  provider_unavailable: { status: 503, message: 'The provider does not respond. Try again later.' },
  provider_failed: { status: 502, message: 'The response of the provider is not valid.' },
  state_invalid: {
    status: 401,
    message: 'The sign-in has expired, was already completed, or was started in another browser.',
  },
  email_not_verified: { status: 401, message: 'The provider has not verified the e-mail address.' },
  email_unusable: { status: 401, message: 'The e-mail address of the provider account cannot be used here.' },
  email_taken_by_other_method: {
    status: 401,
    message: 'An account with this e-mail address already exists. Sign in to it, then link the provider.',
  },
  identity_not_found: { status: 404, message: 'Linked provider not found.' },
  identity_taken: { status: 400, message: 'This provider account is already linked to another account.' },
  identity_mismatch: {
    status: 403,
    message: 'This provider account is not linked to your account. Use the linked one.',
  },
  last_way_in: { status: 400, message: 'This is the only sign-in method of the account, so it cannot be removed.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
