import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Native-app login', {
  cli_login_disabled: { status: 403, message: 'Sign-in to native apps is disabled.' },
  redirect_uri_not_allowed: { status: 400, message: 'This redirect URI is not allowed.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
