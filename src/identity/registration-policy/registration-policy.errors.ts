import type { ErrorCode } from '../../kernel/error-catalogue.js';

/** Errors of routes that give an account an address. */
export const ADDRESS_ERRORS: readonly ErrorCode[] = ['email_taken', 'email_domain_not_allowed', 'email_domain_blocked'];

/** Errors of routes that make an account. */
export const REGISTRATION_ERRORS: readonly ErrorCode[] = [
  ...ADDRESS_ERRORS,
  'username_taken',
  'username_reserved',
  'registration_rejected',
];
