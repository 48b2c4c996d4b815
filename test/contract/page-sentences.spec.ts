import '../../src/app.module.js';
import { errors } from '../../dash/src/texts/en/errors.js';
import { registrationErrors } from '../../dash/src/texts/en/registration-errors.js';
import { isErrorCode, type ErrorCode } from '../../src/kernel/errors/error-catalogue.js';

/** Codes that are not of the catalogue: of fields, and of the way to the service. */
const OTHERS = [
  'unreachable',
  'unreadable',
  'password_too_short',
  'password_too_long',
  'password_too_common',
  'email_invalid',
  'username_invalid',
];

/** Errors with which a browser is sent back to the pages: there is no message of the service to show instead. */
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

describe('the sentences of the pages', () => {
  it('speak of errors that the service answers', () => {
    const unknown = Object.keys(errors).filter((code) => !isErrorCode(code) && !OTHERS.includes(code));
    expect(unknown).toEqual([]);
  });

  it('have words for every error with which a browser is sent back', () => {
    // A registration is sent back to its page, which loads the texts of registrations.
    expect(SENT_BACK.filter((code) => !(code in errors) && !(code in registrationErrors))).toEqual([]);
  });
});
