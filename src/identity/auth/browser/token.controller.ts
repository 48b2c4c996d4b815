import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { Field, requiredText } from '../../../platform/http/input/field.decorator.js';
import { PublicAction } from '../access/access.decorators.js';
import { Browser, type BrowserContext } from '../access/client-context.js';
import { DisabledWhen } from '../access/disabled-when.decorator.js';
import { SignInService, TokenSet } from '../sign-in/sign-in.service.js';
import { BrowserSessions, BrowserToken } from './browser-session.service.js';

/** Body of `POST /api/auth/token/refresh`. */
class RefreshDto {
  @Field(requiredText(200)) refresh_token: string;
}

const INVALID_TOKEN = ['refresh_token_invalid', 'refresh_token_expired', 'refresh_token_reused'] as const;

/** Refreshes and resumes sessions. */
@ApiTags('Account')
@Controller('api/auth/token')
export class TokenController {
  constructor(
    private readonly signIns: SignInService,
    private readonly browsers: BrowserSessions,
  ) {}

  @Post('refresh')
  @PublicAction('general')
  @DisabledWhen('refresh_disabled', ({ auth }) => !auth.refreshTokenEnabled)
  @ApiOperation({ operationId: 'refreshRefresh', summary: 'Refresh an access token' })
  @ApiOkResponse({ type: TokenSet })
  @Throws(...INVALID_TOKEN)
  refresh(@Body() body: RefreshDto): Promise<TokenSet> {
    return this.signIns.refresh(body.refresh_token);
  }

  @Post('resume')
  @PublicAction('general')
  @ApiOperation({
    operationId: 'resumeResume',
    summary: 'Get an access token for the browser session',
    description:
      'For pages of the same origin that sign in with `Lintel-Session: cookie`. The browser sends the cookie automatically. The refresh token in it is rotated.',
  })
  @ApiOkResponse({ type: BrowserToken })
  @Throws('cross_site_request', 'token_missing', 'token_invalid', 'token_expired', ...INVALID_TOKEN)
  resume(@Browser() browser: BrowserContext): Promise<BrowserToken> {
    return this.browsers.resume(browser);
  }
}
