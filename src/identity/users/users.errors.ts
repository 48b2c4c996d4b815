import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Accounts', {
  email_taken: { status: 400, message: 'This e-mail address is already in use.' },
  username_taken: { status: 400, message: 'This username is already in use.' },
  last_root_account: {
    status: 409,
    message: 'This is the last active account with a root role. Give another active account a root role first.',
  },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
