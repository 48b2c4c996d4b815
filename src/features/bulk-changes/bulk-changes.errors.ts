import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Changes of many', {
  bulk_change_not_found: { status: 404, message: 'There is no such change.' },
  bulk_change_ended: { status: 409, message: 'The change is over.' },
  bulk_changes_pending: { status: 409, message: 'You have as many changes under way as you may; end one first.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
