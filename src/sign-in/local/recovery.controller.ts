import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Public } from '../../identity/auth/access/access.decorators.js';
import type { LinkedIdentity } from '../../identity/auth/account.service.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { AppError } from '../../kernel/app-error.js';
import { MailRequestService } from './mail-request.service.js';
import { RecoveryService } from './recovery.service.js';
import { EmailDto, mailProof, MailProofDto, RecoveryDto, ResetDto, settledProof } from './verification.dto.js';
import type { MailRequested } from './verification.types.js';

/** Recovery of a forgotten password. */
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
  recover(@Body() { email }: EmailDto): Promise<MailRequested> {
    return this.requests.request('recovery', email);
  }

  @Post('check')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  async check(@Body() body: MailProofDto, @Client() client: ClientContext): Promise<{ valid: boolean }> {
    return { valid: await this.recovery.check(mailProof(body), client) };
  }

  /** What opens the account beside its password: a reset may end it, too. */
  @Post('identities')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  async identities(@Body() body: RecoveryDto): Promise<{ data: LinkedIdentity[] }> {
    return { data: await this.recovery.listIdentities(settledProof(body)) };
  }

  @Post('reset')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  async reset(@Body() body: ResetDto): Promise<{ data: true }> {
    const proof = settledProof(body);
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    await this.recovery.reset(proof, body.password, body.end_identities === true);
    return { data: true };
  }
}
