import {
  optionalCredential,
  optionalFlag,
  optionalSecret,
  optionalText,
  requiredText,
} from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../kernel/limits.js';

const NAME_MAX = defineLimit(
  100,
  'Second factors',
  'characters of the name of an authenticator app',
  'validation_failed',
);
/** Default name. */
const UNNAMED = 'TOTP';

/** Body of `POST /api/auth/mfa/totp`. */
export class TotpDto {
  /** Name that its owner gives it; `TOTP` unless given. */
  @Field(optionalText(NAME_MAX)) name?: string | null;
  /** In place of a session: of a refusal `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** Needed without a step-up, if the account has a password. */
  @Field(optionalSecret) current_password?: string | null;

  static nameOf({ name }: TotpDto): string {
    return name?.trim() || UNNAMED;
  }
}

/** Body of `POST /api/auth/mfa/totp/confirm`. */
export class ConfirmDto {
  @Field(requiredText(100)) id: string;
  @Field(requiredText(100)) code: string;
  /** In place of a session: of a refusal `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** Of a page that gave a `code_challenge` when it began. */
  @Field(optionalText(128)) code_verifier?: string | null;
}

/** Body of `POST /api/auth/mfa/verify`. */
export class VerifyDto {
  @Field(requiredText(200)) mfa_token: string;
  /** One of `methods`. */
  @Field(requiredText(40)) method: string;
  /** Code that is typed. Left out by who brings a passkey, or has just added a factor for this sign-in. */
  @Field(optionalText(256)) code?: string | null;
  /** For the method `password`; `code` is accepted too. */
  @Field(optionalSecret) password?: string | null;
  /** For passkeys: the answer to `mfa/passkeys/challenge`. */
  @Field(optionalCredential) credential?: object | string | null;
  /** Of a page that gave a `code_challenge` when it began. */
  @Field(optionalText(128)) code_verifier?: string | null;
  /** Whether the browser is not asked for a second factor again for `AUTH_MFA_REMEMBER_DAYS`; for pages of this very origin. */
  @Field(optionalFlag) remember?: boolean;
}
