import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('The first start', {
  setup_token_invalid: { status: 400, message: 'The setup token is not valid.' },
  setup_completed: { status: 403, message: 'An administrator already exists.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
