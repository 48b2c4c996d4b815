import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('API keys', {
  key_invalid: { status: 401, message: 'The API key is not valid.' },
  key_expired: { status: 401, message: 'The API key has expired.' },
  key_address_refused: { status: 403, message: 'This API key cannot be used from this network address.' },
  key_not_found: { status: 404, message: 'API key not found, or it was revoked.' },
  key_rotated: { status: 409, message: 'This key was already replaced.' },
  too_many_keys: { status: 409, message: 'The account has too many API keys. Revoke one first.' },
  service_account_not_found: { status: 404, message: 'Service account not found.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
