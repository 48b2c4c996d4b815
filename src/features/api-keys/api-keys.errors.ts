import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('API keys', {
  key_invalid: { status: 401, message: 'The API key is not valid.' },
  key_expired: { status: 401, message: 'The API key has expired.' },
  key_address_refused: { status: 403, message: 'This API key may not be used from this address.' },
  key_not_found: { status: 404, message: 'There is no such key, or it has ended.' },
  key_rotated: { status: 409, message: 'This key was rotated already.' },
  too_many_keys: { status: 409, message: 'There are as many keys as one account can have; remove one first.' },
  service_account_not_found: { status: 404, message: 'There is no such service account.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
