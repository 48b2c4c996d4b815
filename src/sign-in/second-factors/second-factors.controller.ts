import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { MayGiveTokens } from '../../identity/auth/browser/gives-tokens.decorator.js';
import { TakesEnrolment } from '../../identity/auth/sign-in/enrolment.decorator.js';
import { answerOf, FactorAdded } from './factor-added.js';
import { IssuedMfaToken } from '../../identity/auth/sign-in/mfa-tokens.service.js';
import type { TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import { OwnFactorList, OwnFactors } from './own-factors.service.js';
import { RecoveryCodes } from './recovery-codes/recovery-codes.service.js';
import { ConfirmDto, TotpDto } from './second-factors.dto.js';
import { BegunTotp, TotpFactors } from './totp/totp-factors.service.js';

@ApiTags('Second factors')
@ApiExtraModels(IssuedMfaToken)
@Controller('api/auth/mfa')
export class SecondFactorsController {
  constructor(
    private readonly own: OwnFactors,
    private readonly totp: TotpFactors,
    private readonly codes: RecoveryCodes,
  ) {}

  @Get()
  @Resource('auth.mfa.list')
  @ApiOperation({ summary: 'Your second factors' })
  @AnswersData(OwnFactorList)
  async list(@CurrentAccount() { userId }: AccountPrincipal): Promise<{ data: OwnFactorList }> {
    return { data: await this.own.list(userId) };
  }

  @Post('totp')
  @HttpCode(200)
  @Resource('auth.mfa.totp')
  @RateLimit('factors')
  @ApiOperation({
    summary: 'Begin to add an authenticator app',
    description:
      'It counts once its first code is shown. Needs `current_password` or a step-up of the last ten minutes.',
  })
  @TakesEnrolment()
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
      'With a code that it shows. A mail tells you of it. With the `mfa_token` of a refusal `mfa_enrollment_required` it answers the token set of the sign-in, or for an app another `mfa_token`, which `cli/login/mfa` takes.',
  })
  @TakesEnrolment()
  @MayGiveTokens(FactorAdded)
  @Throws('factor_not_found', 'mfa_invalid')
  async confirm(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { id, code, code_verifier: verifier }: ConfirmDto,
    @Client() client: ClientContext,
  ): Promise<FactorAdded | TokenSet> {
    const by = { account, client, codeVerifier: verifier ?? undefined };
    return answerOf(await this.totp.confirm(by, id, code));
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @Resource('auth.mfa.recovery-codes')
  @RateLimit('factors')
  @ApiOperation({ summary: 'Make ten recovery codes', description: 'They are told this once; those of before end.' })
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
  @ApiOperation({ summary: 'Remove a second factor', description: 'With the last one go the recovery codes.' })
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
