import {
  allOf,
  Field,
  type FieldCheck,
  optionalCredential,
  optionalSecret,
  optionalText,
  optionalTick,
  requiredCredential,
  requiredSecret,
  requiredText,
  withConstraints,
} from '../../platform/http/input/field.decorator.js';
import { IgnoresUnknown } from '../../platform/http/input/accepts.decorators.js';
import { isCodeChallenge } from '../../kernel/keys/pkce.js';
import { requiredEmail } from '../../identity/users/users.public.js';
import { defineLimit } from '../../kernel/limits.js';

/** Body of `POST /api/auth/cli/login/local`, JSON or form. */
export class CliLocalDto {
  @Field(requiredSecret) carrier: string;
  /** A username or an e-mail address. */
  @Field(requiredText(320)) login: string;
  @Field(requiredSecret) password: string;
}

/** Body of `POST /api/auth/cli/login/session`, JSON or form. */
export class CarrierDto {
  @Field(requiredSecret) carrier: string;
}

/** Body of `POST /api/auth/cli/login/mfa`, JSON or form. */
export class CliFactorDto {
  @Field(requiredSecret) carrier: string;
  @Field(requiredText(200)) mfa_token: string;
  /** One of `methods`. */
  @Field(requiredText(40)) method: string;
  /** Typed code. Omitted for a passkey, and if a factor was just added for this sign-in. */
  @Field(optionalText(256)) code?: string | null;
  /** For the method `password`; `code` is accepted too. */
  @Field(optionalSecret) password?: string | null;
  /** For passkeys: the result of `navigator.credentials.get` with the options of `mfa/passkeys/challenge`; in a form as JSON. */
  @Field(optionalCredential) credential?: object | string | null;
  /** `methods` of the error `mfa_required`, separated by commas. The page shows them again after a wrong code. */
  @Field(optionalText(200)) methods?: string | null;
  /** Skips the second factor in this browser for `AUTH_MFA_REMEMBER_DAYS`. Only for pages of the same origin. */
  @Field(optionalTick) remember?: boolean | 'on';
}

/** Body of `POST /api/auth/cli/login/otp`, JSON or form. */
export class CliOtpDto {
  @Field(requiredSecret) carrier: string;
  @Field(requiredEmail) email: string;
  /** The mailed code. */
  @Field(requiredText(20)) code: string;
}

/** Body of `POST /api/auth/cli/login/passkey`, JSON or form. */
export class CliPasskeyDto {
  @Field(requiredSecret) carrier: string;
  /** The result of `navigator.credentials.get` with the options of `passkeys/options`; in a form as JSON. */
  @Field(requiredCredential) credential: object | string;
}

const MAX_REDIRECT_URI_LENGTH = defineLimit(
  2_000,
  'Accounts',
  'characters of a redirect address of an app',
  'validation_failed',
);
const MAX_CORRELATION_LENGTH = defineLimit(
  512,
  'Accounts',
  'characters of `state` or `correlation` of an app',
  'validation_failed',
);

/** Checks the length only. The redirect rules check the rest, including the allowed characters. */
const boundedAddress: FieldCheck = withConstraints({ maxLength: MAX_REDIRECT_URI_LENGTH, format: 'uri' }, (value) =>
  typeof value === 'string' && value.length > MAX_REDIRECT_URI_LENGTH
    ? { code: 'too_long', message: `has more than ${MAX_REDIRECT_URI_LENGTH} characters` }
    : null,
);

const challenge: FieldCheck = withConstraints(
  { minLength: 43, maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$' },
  (value) =>
    typeof value === 'string' && isCodeChallenge(value)
      ? null
      : { code: 'code_challenge_invalid', message: 'must be the SHA-256 of the verifier in base64url, 43 characters' },
);

/** Accepts a single fixed value. */
function oneOf(word: string, isRequired: boolean): FieldCheck {
  return withConstraints({ pattern: `^${word}$`, ...(isRequired && { minLength: 1 }) }, (value) => {
    if (value === undefined) return isRequired ? { code: 'required', message: 'is required' } : null;
    return value === word ? null : { code: 'value_invalid', message: `must be ${word}` };
  });
}

/** Query of `GET /api/auth/authorize`. Unknown parameters are ignored (RFC 6749 §3.1). */
@IgnoresUnknown()
export class AuthorizeQuery {
  @Field(allOf(requiredSecret, boundedAddress)) redirect_uri: string;
  /** Opaque value of the app, returned unchanged. */
  @Field(requiredText(MAX_CORRELATION_LENGTH)) state: string;
  /** PKCE, S256 (RFC 7636 §4.2). */
  @Field(allOf(requiredSecret, challenge)) code_challenge: string;
  @Field(oneOf('S256', true)) code_challenge_method: 'S256';
  @Field(oneOf('code', false)) response_type?: 'code';
}

/** Body of `POST /api/auth/cli/initiate`. */
export class InitiateDto {
  @Field(allOf(requiredSecret, boundedAddress)) redirect_uri: string;
  /** Opaque value of the app, returned as `state`. */
  @Field(requiredText(MAX_CORRELATION_LENGTH)) correlation: string;
  /** PKCE, S256 (RFC 7636 §4.2). */
  @Field(allOf(requiredSecret, challenge)) code_challenge: string;
}
