import {
  Field,
  optionalSecret,
  optionalText,
  requiredCredential,
  requiredText,
} from '../../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';

const NAME_MAX = defineLimit(100, 'Second factors', 'characters of the name of a passkey', 'validation_failed');
/** Default name. */
const UNNAMED = 'Passkey';

/** Body of `POST /api/auth/mfa/passkeys/options`. */
export class PasskeyOptionsDto {
  /** Replaces a session: the `mfa_token` of the error `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** Needed without a step-up, if the account has a password. */
  @Field(optionalSecret) current_password?: string | null;
}

/** Body of `POST /api/auth/mfa/passkeys`. */
export class PasskeyDto {
  /** Answer of `navigator.credentials.create`, as `toJSON` gives it. */
  @Field(requiredCredential) credential: object | string;
  /** Name that its owner gives it; `Passkey` unless given. */
  @Field(optionalText(NAME_MAX)) name?: string | null;
  /** Replaces a session: the `mfa_token` of the error `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** PKCE verifier; required if the sign-in was started with a `code_challenge`. */
  @Field(optionalText(128)) code_verifier?: string | null;

  static nameOf({ name }: PasskeyDto): string {
    return name?.trim() || UNNAMED;
  }
}

/** Body of `POST /api/auth/mfa/passkeys/challenge`. */
export class PasskeyChallengeDto {
  /** Of a refusal `mfa_required`. */
  @Field(requiredText(200)) mfa_token: string;
}

/** Body of `POST /api/auth/passkeys/login`. */
export class PasskeyLoginDto {
  /** Answer of `navigator.credentials.get`, as `toJSON` gives it. */
  @Field(requiredCredential) credential: object | string;
}
