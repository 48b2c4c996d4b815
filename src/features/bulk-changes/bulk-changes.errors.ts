import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Bulk changes', {
  bulk_change_not_found: { status: 404, message: 'Bulk change not found.' },
  bulk_change_ended: { status: 409, message: 'The bulk change has already ended.' },
  bulk_changes_pending: {
    status: 409,
    message: 'You have too many running bulk changes. Wait for one to finish, or cancel one.',
  },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
