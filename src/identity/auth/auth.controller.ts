import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message } from '../../platform/http/output/documentation.decorators.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentAccount, Public, Resource } from './access/access.decorators.js';
import { originOf } from './access/client-context.js';
import { BrowserSessions } from './browser/browser-session.service.js';
import { TakesSessionHeader } from './browser/gives-tokens.decorator.js';
import { CurrentUser, CurrentUserService } from './current-user.service.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { SessionService } from './sessions/session.service.js';
import { OfferedMethods } from './sign-in/sign-in-method.port.js';
import { SignInMethods } from './sign-in/sign-in-methods.service.js';

@ApiTags('Account')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly currentUser: CurrentUserService,
    private readonly sessions: SessionService,
    private readonly browsers: BrowserSessions,
    private readonly signInMethods: SignInMethods,
  ) {}

  @Get('me')
  @Resource('auth.me')
  @ApiOperation({ summary: 'The signed-in account' })
  @ApiOkResponse({ type: CurrentUser })
  me(@CurrentAccount() account: AccountPrincipal): Promise<CurrentUser> {
    return this.currentUser.get(account);
  }

  @Post('logout')
  @HttpCode(200)
  @Resource('auth.logout')
  @ApiOperation({ summary: 'Sign out: the session is over at once' })
  @ApiOkResponse({ type: Message })
  @TakesSessionHeader()
  async logout(
    @CurrentAccount() account: AccountPrincipal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Message> {
    if (this.browsers.isAskedFor(request)) await this.browsers.end(request, reply);
    const { userId, sessionId: id } = account;
    await this.sessions.endNow({ userId, id, reason: 'logout', origin: originOf(request) });
    return { message: 'You are signed out.' };
  }

  @Get('methods')
  @Public()
  @ApiOperation({ summary: 'Which ways to sign in are offered' })
  @ApiOkResponse({ type: OfferedMethods })
  methods(): OfferedMethods {
    return this.signInMethods.offer();
  }
}
