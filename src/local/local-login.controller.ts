import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { Public } from '../auth/access.decorators.js';
import { Client, type ClientContext } from '../auth/client-context.js';
import { LoginService, type TokenSet } from '../auth/login.service.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { RateLimit } from '../http/rate-limit/rate-limit.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { LocalCredentialsService } from './local-credentials.service.js';
import { LocalLoginDto } from './local-login.dto.js';

/** Signing in with login and password. In federated-only mode the route is there to say no. */
@Controller('api/auth/local')
export class LocalLoginController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly credentials: LocalCredentialsService,
    private readonly logins: LoginService,
  ) {}

  @Post('login')
  @HttpCode(200)
  @Public()
  @RateLimit('by-account')
  async login(@Body() body: LocalLoginDto, @Client() client: ClientContext): Promise<TokenSet> {
    if (this.config.auth.localLoginDisabled) throw new AppError('local_login_disabled');
    return this.logins.complete(await this.credentials.verify(body.login, body.password, client));
  }
}
