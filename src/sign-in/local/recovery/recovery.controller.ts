import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { AnswersData, AnswersObject, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { MAILED_TOKEN_ERRORS } from '../../../identity/secrets/one-time-secrets.errors.js';
import { PublicAction } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../../identity/auth/auth.public.js';
import { RecordsRefusals } from '../../../identity/auth/sign-in/records-refusals.decorator.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { VerificationMailer } from '../verification/verification-mailer.service.js';
import { RecoveryService } from './recovery.service.js';
import { RECOVERABLE_KINDS, RecoverySelection } from '../verification/recovery-selection.js';
import type { AccountCredential } from '../../../identity/auth/credentials/credential-kind.port.js';
import {
  EmailDto,
  readFactor,
  readMailProof,
  MailProofDto,
  MailRequested,
  RecoveryDto,
  ResetDto,
  readCheckedProof,
} from '../verification/verification.dto.js';

/** A credential of the account other than its password. */
export class RecoverableCredential {
  @ApiProperty({ enum: RECOVERABLE_KINDS }) readonly kind: (typeof RECOVERABLE_KINDS)[number];
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Name that the owner chose, or name of the provider.' })
  readonly name: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'E-mail address at the provider, or prefix of an API key.',
  })
  readonly detail: string | null;
  @ApiPropertyOptional({ description: 'For identities: the provider.' }) readonly provider?: string;
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'For identities: the e-mail address at the provider.',
  })
  readonly email?: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
}

/** Response to a password reset. */
export class RecoveryDone {
  @ApiProperty({ type: 'boolean', const: true } as never) readonly data: true;
  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When older second factors are revoked. Missing if no removal is scheduled.',
  })
  readonly reset_due_at?: string;
}

@ApiTags('Password')
@Controller('api/auth/local/recover')
export class RecoveryController {
  constructor(
    private readonly recovery: RecoveryService,
    private readonly mailer: VerificationMailer,
  ) {}

  @Post()
  @PublicAction('general')
  @ApiOperation({ summary: 'Request a password reset mail' })
  @ApiOkResponse({ type: MailRequested })
  recover(@Body() { email }: EmailDto, @Client() client: ClientContext): Promise<MailRequested> {
    return this.mailer.request('recovery', email, client);
  }

  @Post('check')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Check a recovery token',
    description:
      'Send the `token` of the link or, for typed codes, `session_id` and `code`. Does not consume the token or code.',
  })
  @AnswersObject({ valid: { type: 'boolean' } })
  async check(@Body() body: MailProofDto, @Client() client: ClientContext): Promise<{ valid: boolean }> {
    return { valid: await this.recovery.check(readMailProof(body), client) };
  }

  @Post('identities')
  @PublicAction('general')
  @ApiOperation({
    summary: 'List the other credentials of the account during recovery',
    description:
      'Identities, passkeys, authenticator apps and API keys with the time of their creation, oldest first. Takes the proof of `recover/reset` and does not consume it.',
  })
  @AnswersData([RecoverableCredential])
  @Throws(...MAILED_TOKEN_ERRORS)
  @RecordsRefusals('recovery')
  async identities(@Body() body: RecoveryDto): Promise<{ data: RecoverableCredential[] }> {
    return { data: (await this.recovery.list(readCheckedProof(body))).map(recoverable) };
  }

  @Post('reset')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Set a new password during recovery',
    description:
      'Send the `token` of the link, or the `session_id` of a checked code. Revokes all sessions, and the credentials that `revoke` selects. Second factors older than `AUTH_RECOVERY_WINDOW` are revoked after `AUTH_RECOVERY_DELAY` (at `reset_due_at`), unless the request contains a recovery code or another factor. The owner cancels the removal by using a second factor.',
  })
  @ApiOkResponse({ type: RecoveryDone })
  @Throws(...MAILED_TOKEN_ERRORS, 'password_mismatch', 'mfa_invalid', 'rate_limited')
  @RecordsRefusals('recovery')
  async reset(@Body() body: ResetDto, @Client() client: ClientContext): Promise<RecoveryDone> {
    const proof = readCheckedProof(body);
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    const selection = RecoverySelection.of(body.revoke, body.end_identities === true);
    const reset = { password: body.password, selection, factor: readFactor(body) };
    const dueAt = await this.recovery.reset(proof, reset, client);
    return dueAt === null ? { data: true } : { data: true, reset_due_at: dueAt.toISOString() };
  }
}

function recoverable({ kind, id, name, detail, createdAt }: AccountCredential): RecoverableCredential {
  const created_at = createdAt.toISOString();
  const identity = kind === 'identities' ? { provider: name ?? '', email: detail } : {};
  return { kind: kind as RecoverableCredential['kind'], id, name, detail, ...identity, created_at };
}
