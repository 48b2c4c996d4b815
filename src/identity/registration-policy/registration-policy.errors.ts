import { defineErrors, type ErrorCode, type ErrorRow } from '../../kernel/errors/error-catalogue.js';

const ERRORS = defineErrors('The registration policy', {
  email_domain_not_allowed: { status: 400, message: 'E-mail addresses of this domain cannot be used to register.' },
  email_domain_blocked: { status: 400, message: 'E-mail addresses of this domain cannot be used to register.' },
  username_reserved: { status: 400, message: 'This username is reserved.' },
  registration_rejected: { status: 400, message: 'The registration was rejected.' },
});

declare module '../../kernel/errors/error-catalogue.js' {
  interface KnownErrors extends Record<keyof typeof ERRORS, ErrorRow> {}
}

export const ADDRESS_ERRORS: readonly ErrorCode[] = ['email_taken', 'email_domain_not_allowed', 'email_domain_blocked'];

export const REGISTRATION_ERRORS: readonly ErrorCode[] = [
  ...ADDRESS_ERRORS,
  'username_taken',
  'username_reserved',
  'registration_rejected',
];
