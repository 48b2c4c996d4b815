import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  Field,
  optionalCredential,
  optionalFlag,
  optionalSecret,
  optionalText,
  requiredText,
} from '../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../kernel/limits.js';
import { IssuedMfaToken } from './mfa-tokens/mfa-tokens.service.js';

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
  /** Name that the user chooses. Default: `TOTP`. */
  @Field(optionalText(NAME_MAX)) name?: string | null;
  /** Instead of a session: the `mfa_token` of the error `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** Required without a step-up if the account has a password. */
  @Field(optionalSecret) current_password?: string | null;

  static nameOf({ name }: TotpDto): string {
    return name?.trim() || UNNAMED;
  }
}

/** Body of `POST /api/auth/mfa/totp/confirm`. */
export class ConfirmDto {
  @Field(requiredText(100)) id: string;
  @Field(requiredText(100)) code: string;
  /** Instead of a session: the `mfa_token` of the error `mfa_enrollment_required`. */
  @Field(optionalText(200)) mfa_token?: string | null;
  /** PKCE verifier; required if the sign-in was started with a `code_challenge`. */
  @Field(optionalText(128)) code_verifier?: string | null;
}

/** Body of `POST /api/auth/mfa/verify`. */
export class VerifyDto {
  @Field(requiredText(200)) mfa_token: string;
  /** One of `methods`. */
  @Field(requiredText(40)) method: string;
  /** Typed code. Omitted for a passkey, and if a factor was just added for this sign-in. */
  @Field(optionalText(256)) code?: string | null;
  /** For the method `password`; `code` is accepted too. */
  @Field(optionalSecret) password?: string | null;
  /** For passkeys: the result of `navigator.credentials.get` with the options of `mfa/passkeys/challenge`. */
  @Field(optionalCredential) credential?: object | string | null;
  /** PKCE verifier; required if the sign-in was started with a `code_challenge`. */
  @Field(optionalText(128)) code_verifier?: string | null;
  /** Skips the second factor in this browser for `AUTH_MFA_REMEMBER_DAYS`. Only for pages of the same origin. */
  @Field(optionalFlag) remember?: boolean;
}

/** A second factor as shown to its owner. */
export class ListedFactor {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ enum: ['totp', 'passkey'] }) readonly type: 'totp' | 'passkey';
  @ApiProperty() readonly name: string;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) readonly last_used_at: string | null;
  @ApiPropertyOptional({ description: 'For passkeys: whether the passkey can be synchronised between devices.' })
  readonly backup_eligible?: boolean;
  @ApiPropertyOptional({ description: 'For passkeys: whether the passkey was synchronised at its last use.' })
  readonly backed_up?: boolean;
  @ApiPropertyOptional({
    description: 'For passkeys: whether the passkey verifies its user and so counts as two factors.',
  })
  readonly verifies_user?: boolean;
  @ApiPropertyOptional({ description: 'For passkeys: credential id, in base64url.' })
  readonly credential_id?: string;
}

/** The second factors of an account. */
export class OwnFactorList {
  @ApiProperty({ type: [ListedFactor] }) readonly factors: readonly ListedFactor[];
  @ApiProperty({ description: 'Number of remaining recovery codes.' }) readonly recovery_codes: number;
  @ApiPropertyOptional({
    format: 'date-time',
    description:
      'Time of the next scheduled removal of second factors. Using a factor cancels it. Administrators see only removals by administrators.',
  })
  readonly reset_due_at?: string;
}

/** Response after a factor was added. */
export class FactorAdded {
  @ApiProperty({
    oneOf: [{ type: 'boolean', const: true }, { $ref: getSchemaPath(IssuedMfaToken) }],
    description: '`true` for signed-in users. For an app sign-in, the `mfa_token` for `cli/login/mfa`.',
  } as never)
  readonly data: true | IssuedMfaToken;
}
