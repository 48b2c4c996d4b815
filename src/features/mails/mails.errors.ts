import { defineErrors, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('Mails', {
  mail_not_found: { status: 404, message: 'Mail not found. Sent mails are not kept.' },
  mail_off: { status: 409, message: 'Mail is disabled: MAIL_URL is not set.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}
