import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message } from '../../platform/http/documentation.decorators.js';
import { CurrentAccount, Public, Resource } from './access/access.decorators.js';
import { CurrentUser, CurrentUserService } from './current-user.service.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';
import { SessionService } from './sessions/session.service.js';
import { OfferedMethods } from './sign-in/sign-in-method.port.js';
import { SignInMethods } from './sign-in/sign-in-methods.service.js';

/** The signed-in account: who it is, and signing out. */
@ApiTags('Account')
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly currentUser: CurrentUserService,
    private readonly sessions: SessionService,
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
  async logout(@CurrentAccount() account: AccountPrincipal): Promise<Message> {
    await this.sessions.endNow({ userId: account.userId, id: account.sessionId, reason: 'logout' });
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
