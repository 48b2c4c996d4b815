import { Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { CurrentAccount, Public, Resource } from './access/access.decorators.js';
import { type CurrentUser, CurrentUserService } from './current-user.service.js';
import { type LoginMethods, loginMethods } from './login-methods.js';
import type { AccountPrincipal } from './access/principal.types.js';
import { SessionService } from './sessions/session.service.js';

/** The signed-in account: who it is, and signing out. */
@Controller('api/auth')
export class AuthController {
  private readonly offered: LoginMethods;

  constructor(
    private readonly currentUser: CurrentUserService,
    private readonly sessions: SessionService,
    @Inject(CONFIG) config: Config,
  ) {
    this.offered = loginMethods(config.auth);
  }

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
  methods(): LoginMethods {
    return this.offered;
  }
}
