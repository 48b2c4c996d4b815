import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersData, AnswersObject, Throws } from '../../platform/http/documentation.decorators.js';
import { MAILED_TOKEN_ERRORS } from '../../identity/secrets/one-time-secrets.errors.js';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { LinkedIdentity } from '../../identity/auth/account.service.js';
import { Client, type ClientContext, Origin } from '../../identity/auth/auth.public.js';
import { TellsRefusals } from '../../identity/auth/sign-in/tells-refusals.decorator.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { AppError } from '../../kernel/app-error.js';
import { MailRequestService } from './mail-request.service.js';
import { RecoveryService } from './recovery.service.js';
import { EmailDto, mailProof, MailProofDto, RecoveryDto, ResetDto, settledProof } from './verification.dto.js';
import { MailRequested } from './verification.types.js';
import type { RequestOrigin } from '../../kernel/principal.types.js';

/** Recovery of a forgotten password. */
@ApiTags('Password')
@Controller('api/auth/local/recover')
export class RecoveryController {
  constructor(
    private readonly recovery: RecoveryService,
    private readonly requests: MailRequestService,
  ) {}

  @Post()
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({ summary: 'Mail a link for a new password' })
  @ApiOkResponse({ type: MailRequested })
  recover(@Body() { email }: EmailDto): Promise<MailRequested> {
    return this.requests.request('recovery', email);
  }

  @Post('check')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Whether a recovery token is good',
    description:
      'With the `token` of the link or, where codes are typed, with `session_id` and `code`. Spends nothing.',
  })
  @AnswersObject({ valid: { type: 'boolean' } })
  async check(@Body() body: MailProofDto, @Client() client: ClientContext): Promise<{ valid: boolean }> {
    return { valid: await this.recovery.check(mailProof(body), client) };
  }

  /** Returns what opens the account beside its password: a reset may end it, too. */
  @Post('identities')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Which providers open the account beside its password',
    description: 'With what `recover/reset` takes. Spends nothing.',
  })
  @AnswersData([LinkedIdentity])
  @Throws(...MAILED_TOKEN_ERRORS)
  @TellsRefusals('recovery')
  async identities(@Body() body: RecoveryDto): Promise<{ data: LinkedIdentity[] }> {
    return { data: await this.recovery.listIdentities(settledProof(body)) };
  }

  @Post('reset')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Choose a new password',
    description:
      'With the `token` of the link, or with the `session_id` whose code has been checked. Ends every session and, with `end_identities`, the links to providers.',
  })
  @AnswersData({ const: true })
  @Throws(...MAILED_TOKEN_ERRORS, 'password_mismatch')
  @TellsRefusals('recovery')
  async reset(@Body() body: ResetDto, @Origin() origin: RequestOrigin): Promise<{ data: true }> {
    const proof = settledProof(body);
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    await this.recovery.reset(proof, body.password, body.end_identities === true, origin);
    return { data: true };
  }
}
