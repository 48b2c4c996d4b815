import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { GivesTokens } from '../../identity/auth/browser/gives-tokens.decorator.js';
import { FactorProofs } from '../../identity/auth/sign-in/factor-proofs.service.js';
import { SignInService, type TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import { Throws } from '../../platform/http/documentation.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { VerifyDto } from './second-factors.dto.js';

/** The end of a sign-in that waits for a second factor. */
@ApiTags('Second factors')
@Controller('api/auth/mfa')
export class MfaVerifyController {
  constructor(
    private readonly proofs: FactorProofs,
    private readonly signIns: SignInService,
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
  verify(
    @Body() { mfa_token: mfaToken, method, code, credential, code_verifier: verifier }: VerifyDto,
    @Client() client: ClientContext,
  ): Promise<TokenSet> {
    const binding = { codeVerifier: verifier ?? undefined };
    const prove = () =>
      this.proofs.complete(
        { mfaToken, method, code: code ?? undefined, credential: credential ?? undefined },
        binding,
        client,
      );
    return this.signIns.complete(prove, 'mfa_token_invalid');
  }
}
