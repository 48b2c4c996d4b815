import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { GivesTokens } from '../../identity/auth/browser/gives-tokens.decorator.js';
import { RememberedDevices } from '../../identity/auth/devices/remembered-devices.service.js';
import { broughtFactor, FactorProofs } from '../../identity/auth/sign-in/factor-proofs.service.js';
import { SignInService, type TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { VerifyDto } from './second-factors.dto.js';

@ApiTags('Second factors')
@Controller('api/auth/mfa')
export class MfaVerifyController {
  constructor(
    private readonly proofs: FactorProofs,
    private readonly signIns: SignInService,
    private readonly devices: RememberedDevices,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @Public()
  @RateLimit('by-account')
  @ApiOperation({
    summary: 'Finish a sign-in with a second factor',
    description: 'With the `mfa_token` that a refusal `mfa_required` carries.',
  })
  @GivesTokens()
  @Throws('mfa_token_invalid', 'mfa_invalid')
  async verify(
    @Body() body: VerifyDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TokenSet> {
    const { mfa_token: mfaToken, method, code_verifier: verifier, remember = false } = body;
    if (remember) this.devices.assertMayRemember(request, method);
    const brought = { mfaToken, ...broughtFactor(body) };
    const account = this.proofs.complete(brought, { codeVerifier: verifier ?? undefined }, client);
    const set = await this.signIns.complete(() => account, 'mfa_token_invalid');
    if (remember) await this.devices.remember(request, reply, await account, client);
    return set;
  }
}
