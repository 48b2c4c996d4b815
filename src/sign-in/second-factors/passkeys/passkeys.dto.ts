import { optionalText, requiredCredential, requiredText } from '../../../platform/http/http.public.js';
import { Field } from '../../../platform/http/field.decorator.js';

const NAME_MAX = 100;
/** What one is called whose owner does not say. */
const UNNAMED = 'Passkey';

/** Body of `POST /api/auth/mfa/passkeys/options`. */
export class PasskeyOptionsDto {
  /** In place of a session: of a refusal `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
}

/** Body of `POST /api/auth/mfa/passkeys`. */
export class PasskeyDto {
  /** What `navigator.credentials.create` answered, as `toJSON` gives it. */
  @Field(requiredCredential) credential: object | string;
  /** What its owner calls it; `Passkey` unless given. */
  @Field(optionalText(NAME_MAX)) name?: string | null;
  /** In place of a session: of a refusal `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** Of a page that gave a `code_challenge` when it began. */
  @Field(optionalText(128)) code_verifier?: string | null;

  /** Returns the name to keep. */
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
  /** What `navigator.credentials.get` answered, as `toJSON` gives it. */
  @Field(requiredCredential) credential: object | string;
}
