import { defineErrors, type ErrorRow } from '../../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('View as', {
  view_as_invalid: {
    status: 400,
    message: 'Lintel-View-As must be guest, role:<name> of a role, or user:<id> of an active account.',
  },
  view_as_read_only: { status: 403, message: 'Whoever views as somebody else reads, and changes nothing.' },
});

declare module '../../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
