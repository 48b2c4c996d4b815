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
  /** Instead of a session: the `mfa_token` of the error `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** Required without a step-up if the account has a password. */
  @Field(optionalSecret) current_password?: string | null;
}

/** Body of `POST /api/auth/mfa/passkeys`. */
export class PasskeyDto {
  /** Result of `navigator.credentials.create`, from its `toJSON`. */
  @Field(requiredCredential) credential: object | string;
  /** Name that the user chooses. Default: `Passkey`. */
  @Field(optionalText(NAME_MAX)) name?: string | null;
  /** Instead of a session: the `mfa_token` of the error `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** PKCE verifier; required if the sign-in was started with a `code_challenge`. */
  @Field(optionalText(128)) code_verifier?: string | null;

  static nameOf({ name }: PasskeyDto): string {
    return name?.trim() || UNNAMED;
  }
}

/** Body of `POST /api/auth/mfa/passkeys/challenge`. */
export class PasskeyChallengeDto {
  /** The `mfa_token` of the error `mfa_required`. */
  @Field(requiredText(200)) mfa_token: string;
}

/** Body of `POST /api/auth/passkeys/login`. */
export class PasskeyLoginDto {
  /** Result of `navigator.credentials.get`, from its `toJSON`. */
  @Field(requiredCredential) credential: object | string;
}
