import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Local accounts', {
  password_mismatch: { status: 400, message: 'The password and its confirmation do not match.' },
  activation_not_by_email: { status: 400, message: 'Accounts are not activated by e-mail on this server.' },
  not_a_local_account: {
    status: 400,
    message: 'This account has no password. Its e-mail address is managed by its sign-in provider.',
  },
  email_unchanged: { status: 400, message: 'The account already has this e-mail address.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
