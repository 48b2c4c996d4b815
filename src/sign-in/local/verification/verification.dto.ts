import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  allOf,
  Field,
  optionalCredential,
  optionalFlag,
  optionalText,
  requiredSecret,
  requiredText,
} from '../../../platform/http/input/field.decorator.js';
import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import { newPassword, requiredEmail } from '../../../identity/users/users.public.js';
import type { PresentedFactor } from '../../../identity/assurance/factor-proofs.service.js';
import { optionalRevocation } from './recovery-selection.js';

/** Response to a mail request. It is the same for every address. */
export class MailRequested {
  @ApiProperty() readonly message: string;
  @ApiPropertyOptional({ description: 'With a mailed code: send it back with the code.' }) readonly session_id?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Seconds until the code expires.' })
  readonly expires_in?: number;
}

/** Proof that the user can read the mailbox: the token of a link, or a typed code with its session. */
export type MailProof = { readonly token: string } | { readonly sessionId: string; readonly code: string };

/** A proof that needs no further code: the token of a link, or a session whose code was checked. */
export type CheckedProof = { readonly token: string } | { readonly sessionId: string };

const REQUIRED = { code: 'required', message: 'is required' };
const optionalToken = optionalText(200);

/** A body with an e-mail address. */
export class EmailDto {
  @Field(requiredEmail) email: string;
}

/** A body with the token of a link or, for a mailed code, with `session_id` and `code`. */
export class MailProofDto {
  @Field(optionalToken) token?: string | null;
  @Field(optionalToken) session_id?: string | null;
  @Field(optionalText(20)) code?: string | null;
}

/** A body that identifies a recovery: the token of the link, or the `session_id` of a checked code. */
export class RecoveryDto {
  @Field(optionalToken) token?: string | null;
  @Field(optionalToken) session_id?: string | null;
}

/** Body of `POST /api/auth/local/recover/reset`. */
export class ResetDto {
  @Field(optionalToken) token?: string | null;
  @Field(optionalToken) session_id?: string | null;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
  /**
   * Credentials to revoke with the old password: `"all"`, a list of `identities`, `passkeys`, `totp` and `keys`, or a timestamp
   * for everything that was created since. Second factors older than `AUTH_RECOVERY_WINDOW` are revoked only after
   * `AUTH_RECOVERY_DELAY`, unless the request proves a factor.
   */
  @Field(optionalRevocation) revoke?: string | string[] | null;
  /** The same as `revoke: ["identities"]`. */
  @Field(optionalFlag) end_identities?: boolean;
  /** The kind of the second factor that the request proves: `recovery_code`, or a factor that is not revoked. */
  @Field(optionalText(40)) method?: string | null;
  /** The code of the factor. */
  @Field(optionalText(256)) code?: string | null;
  /** The assertion of a passkey: the result of `PublicKeyCredential.toJSON()`. */
  @Field(optionalCredential) credential?: object | string | null;
}

/** Body of `POST /api/auth/local/email/change`. */
export class EmailChangeDto {
  @Field(requiredEmail) new_email: string;
  @Field(requiredSecret) current_password: string;
}

/** A body with only the token of a link. */
export class TokenDto {
  @Field(allOf(requiredText(200))) token: string;
}

/** @throws AppError `validation_failed` for the missing field. */
export function readMailProof({ token, session_id: sessionId, code }: MailProofDto): MailProof {
  if (isPresent(token)) return { token };
  if (isPresent(sessionId) && isPresent(code)) return { sessionId, code };
  const missing = isPresent(sessionId) || isPresent(code) ? (isPresent(code) ? 'session_id' : 'code') : 'token';
  const errors: FieldFault[] = [{ field: missing, ...REQUIRED }];
  throw AppError.validation(errors);
}

/**
 * Reads a proof whose code was already checked.
 *
 * @throws AppError `validation_failed` if the body has neither a token nor a session.
 */
export function readCheckedProof({ token, session_id: sessionId }: RecoveryDto): CheckedProof {
  if (isPresent(token)) return { token };
  if (isPresent(sessionId)) return { sessionId };
  throw AppError.validation([{ field: 'token', ...REQUIRED }]);
}

/**
 * Reads the second factor of a reset; null for none.
 *
 * @throws AppError `validation_failed` for a factor without its method, or without a code or an assertion.
 */
export function readFactor({ method, code, credential }: ResetDto): PresentedFactor | null {
  const hasAnswer = isPresent(code) || (credential !== undefined && credential !== null);
  if (!isPresent(method) && !hasAnswer) return null;
  if (!isPresent(method)) throw AppError.validation([{ field: 'method', ...REQUIRED }]);
  if (!hasAnswer) throw AppError.validation([{ field: 'code', ...REQUIRED }]);
  return isPresent(code) ? { method, code } : { method, credential };
}

function isPresent(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}
