import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../auth/access/access.decorators.js';
import { Client, type ClientContext } from '../auth/auth.public.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { MayIssueTokens } from '../auth/browser/issues-tokens.decorator.js';
import { AcceptsEnrolmentToken } from './mfa-tokens/enrolment.authenticator.js';
import { IssuedMfaToken } from './mfa-tokens/mfa-tokens.service.js';
import type { TokenSet } from '../auth/sign-in/sign-in.service.js';
import { OwnedFactors } from './owned-factors.service.js';
import { RecoveryCodes } from './recovery-codes/recovery-codes.service.js';
import { ConfirmDto, FactorAdded, OwnFactorList, TotpDto } from './second-factors.dto.js';
import { BegunTotp, TotpFactors } from './totp/totp-factors.service.js';

@ApiTags('Second factors')
@ApiExtraModels(IssuedMfaToken)
@Controller('api/auth/mfa')
export class SecondFactorsController {
  constructor(
    private readonly own: OwnedFactors,
    private readonly totp: TotpFactors,
    private readonly codes: RecoveryCodes,
  ) {}

  @Get()
  @Resource('auth.mfa.list')
  @ApiOperation({ summary: 'List your second factors' })
  @AnswersData(OwnFactorList)
  async list(@CurrentAccount() { userId }: AccountPrincipal): Promise<{ data: OwnFactorList }> {
    return { data: await this.own.list(userId) };
  }

  @Post('totp')
  @HttpCode(200)
  @Resource('auth.mfa.totp')
  @RateLimit('factors')
  @ApiOperation({
    summary: 'Start adding an authenticator app',
    description:
      'The app is active after its first code was confirmed. Requires `current_password` or a step-up within the last ten minutes.',
  })
  @AcceptsEnrolmentToken()
  @AnswersData(BegunTotp)
  @Throws('step_up_required', 'invalid_credentials', 'rate_limited', 'too_many_factors')
  async begin(
    @CurrentAccount() account: AccountPrincipal,
    @Body() body: TotpDto,
    @Client() client: ClientContext,
  ): Promise<{ data: BegunTotp }> {
    const app = { name: TotpDto.nameOf(body), password: body.current_password };
    return { data: await this.totp.begin(account, app, client) };
  }

  @Post('totp/confirm')
  @HttpCode(200)
  @Resource('auth.mfa.totp')
  @RateLimit('by-account')
  @ApiOperation({
    summary: 'Add an authenticator app',
    description:
      'Requires a code of the app. You are notified by mail. With the `mfa_token` of the `mfa_enrollment_required` error, the response is the token set of the sign-in, or for an app sign-in an `mfa_token` for `cli/login/mfa`.',
  })
  @AcceptsEnrolmentToken()
  @MayIssueTokens(FactorAdded)
  @Throws('factor_not_found', 'mfa_invalid')
  async confirm(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { id, code, code_verifier: verifier }: ConfirmDto,
    @Client() client: ClientContext,
  ): Promise<FactorAdded | TokenSet> {
    const by = { account, client, codeVerifier: verifier ?? undefined };
    return this.totp.confirm(by, id, code);
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @Resource('auth.mfa.recovery-codes')
  @RateLimit('factors')
  @ApiOperation({
    summary: 'Create ten recovery codes',
    description: 'The codes are returned only once. Previous codes are revoked.',
  })
  @AnswersData({ type: 'array', items: { type: 'string' } })
  @Throws('step_up_required', 'no_second_factor')
  async renewCodes(
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: readonly string[] }> {
    return { data: await this.codes.renew(account, client) };
  }

  @Delete(':id')
  @HttpCode(200)
  @Resource('auth.mfa.remove')
  @ApiOperation({
    summary: 'Remove a second factor',
    description: 'Removing the last second factor also revokes the recovery codes.',
  })
  @AnswersData({ const: true })
  @Throws('step_up_required', 'factor_not_found')
  async remove(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Client() client: ClientContext,
  ): Promise<{ data: true }> {
    await this.own.remove(account, id, client);
    return { data: true };
  }
}
