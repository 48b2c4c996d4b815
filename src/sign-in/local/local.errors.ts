import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Local accounts', {
  password_mismatch: { status: 400, message: 'The password and its confirmation differ.' },
  activation_not_by_email: { status: 400, message: 'Accounts are not activated by mail here.' },
  not_a_local_account: { status: 400, message: 'This account has no password; its address is kept by its provider.' },
  email_unchanged: { status: 400, message: 'This is the address that the account has.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
