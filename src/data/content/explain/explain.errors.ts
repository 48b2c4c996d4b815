import { defineErrors, type ErrorRow } from '../../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Access', {
  principal_unknown: { status: 404, message: 'There is no such role, or no active account of this id.' },
});

declare module '../../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
