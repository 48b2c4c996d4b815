import '../../src/app.module.js';
import { errors } from '../../dash/src/texts/en/errors.js';
import { registrationErrors } from '../../dash/src/texts/en/registration-errors.js';
import { isErrorCode, type ErrorCode } from '../../src/kernel/errors/error-catalogue.js';

/** Codes outside the catalogue: of fields, and of the connection to the service. */
const OTHERS = [
  'unreachable',
  'unreadable',
  'password_too_short',
  'password_too_long',
  'password_too_common',
  'email_invalid',
  'username_invalid',
];

/** Errors after a redirect to the pages: the browser gets no message from the service. */
const SENT_BACK: readonly ErrorCode[] = [
  'provider_not_found',
  'provider_denied',
  'provider_unavailable',
  'provider_failed',
  'state_invalid',
  'email_not_verified',
  'email_unusable',
  'email_taken_by_other_method',
  'identity_taken',
  'token_invalid',
  'token_expired',
  'account_inactive',
  'email_taken',
  'email_domain_not_allowed',
  'email_domain_blocked',
  'username_taken',
  'username_reserved',
  'carrier_invalid',
  'invalid_credentials',
  'otp_invalid',
  'otp_disabled',
  'local_login_disabled',
  'cli_login_disabled',
  'rate_limited',
  'validation_failed',
];

describe('the texts of the pages', () => {
  it('refer to errors that the service returns', () => {
    const unknown = Object.keys(errors).filter((code) => !isErrorCode(code) && !OTHERS.includes(code));
    expect(unknown).toEqual([]);
  });

  it('include every error of a browser redirect', () => {
    // A registration redirects to its own page, which loads the texts of registrations.
    expect(SENT_BACK.filter((code) => !(code in errors) && !(code in registrationErrors))).toEqual([]);
  });
});
