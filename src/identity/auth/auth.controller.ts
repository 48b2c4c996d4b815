import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentAccount, Public, Resource } from './access/access.decorators.js';
import { type CurrentUser, CurrentUserService } from './current-user.service.js';
import type { AccountPrincipal } from './access/principal.types.js';
import { SessionService } from './sessions/session.service.js';
import type { OfferedMethods } from './sign-in/sign-in-method.port.js';
import { SignInMethods } from './sign-in/sign-in-methods.service.js';

/** The signed-in account: who it is, and signing out. */
@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly currentUser: CurrentUserService,
    private readonly sessions: SessionService,
    private readonly signInMethods: SignInMethods,
  ) {}

  @Get('me')
  @Resource('auth.me')
  me(@CurrentAccount() account: AccountPrincipal): Promise<CurrentUser> {
    return this.currentUser.get(account);
  }

  @Post('logout')
  @HttpCode(200)
  @Resource('auth.logout')
  async logout(@CurrentAccount() account: AccountPrincipal): Promise<{ message: string }> {
    await this.sessions.end(account.sessionId);
    return { message: 'You are signed out.' };
  }

  @Get('methods')
  @Public()
  methods(): OfferedMethods {
    return this.signInMethods.offer();
  }
}
