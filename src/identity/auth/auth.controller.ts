import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Field, type FieldCheck, requiredSecret } from '../../platform/http/input/field.decorator.js';
import { Message, Throws } from '../../platform/http/output/documentation.decorators.js';
import { CurrentAccount, Public, PublicAction, Resource } from './access/access.decorators.js';
import { Browser, type BrowserContext, originOf } from './access/client-context.js';
import { BrowserSessions } from './browser/browser-session.service.js';
import { AcceptsSessionHeader, IssuesTokens } from './browser/issues-tokens.decorator.js';
import { CurrentUser, CurrentUserService } from './current-user.service.js';
import { ExchangeCodes } from './exchange/exchange-codes.service.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { SessionService } from './sessions/session.service.js';
import { RecordsRefusals } from './sign-in/records-refusals.decorator.js';
import type { TokenSet } from './sign-in/sign-in.service.js';
import { OfferedMethods } from './sign-in/sign-in-method.port.js';
import { SignInMethods } from './sign-in/sign-in-methods.service.js';

/** The exchange checks the verifier. Here it only has to be text. */
const optionalVerifier: FieldCheck = (value) =>
  value === undefined || typeof value === 'string' ? null : { code: 'type_invalid', message: 'must be text' };

/** Body of `POST /api/auth/exchange`. */
class ExchangeDto {
  @Field(requiredSecret) code: string;
  /** If the sign-in was begun with a `code_challenge`, as every native app's is. */
  @Field(optionalVerifier) code_verifier?: string;
}

@ApiTags('Account')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly currentUser: CurrentUserService,
    private readonly sessions: SessionService,
    private readonly browsers: BrowserSessions,
    private readonly signInMethods: SignInMethods,
    private readonly codes: ExchangeCodes,
  ) {}

  @Get('me')
  @Resource('auth.me')
  @ApiOperation({ summary: 'Get the signed-in account' })
  @ApiOkResponse({ type: CurrentUser })
  me(@CurrentAccount() account: AccountPrincipal): Promise<CurrentUser> {
    return this.currentUser.get(account);
  }

  @Post('logout')
  @HttpCode(200)
  @Resource('auth.logout')
  @ApiOperation({ summary: 'Sign out and revoke the session' })
  @ApiOkResponse({ type: Message })
  @AcceptsSessionHeader()
  async logout(@CurrentAccount() account: AccountPrincipal, @Browser() browser: BrowserContext): Promise<Message> {
    const { request } = browser;
    if (this.browsers.isRequested(request)) await this.browsers.end(browser);
    const { userId, sessionId: id } = account;
    await this.sessions.endNow({ userId, id, reason: 'logout', origin: originOf(request) });
    return { message: 'You are signed out.' };
  }

  @Get('methods')
  @Public()
  @ApiOperation({ summary: 'List the enabled sign-in methods' })
  @ApiOkResponse({ type: OfferedMethods })
  methods(): OfferedMethods {
    return this.signInMethods.offer();
  }

  @Post('exchange')
  @PublicAction('general')
  @ApiOperation({
    operationId: 'exchangeExchange',
    summary: 'Exchange the one-time code of a sign-in for tokens',
    description:
      'The code is valid for 60 seconds and can be used once. In the native-app flow, send `code_verifier` with it.',
  })
  @IssuesTokens()
  @Throws('code_invalid')
  @RecordsRefusals('exchange')
  exchange(@Body() body: ExchangeDto): Promise<TokenSet> {
    return this.codes.exchange(body.code, body.code_verifier);
  }
}
