import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Throws } from '../../platform/http/output/documentation.decorators.js';
import { PublicAction } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import { IssuesTokens } from '../../identity/auth/browser/issues-tokens.decorator.js';
import { SignInService, type TokenSet } from '../../identity/auth/sign-in/sign-in.service.js';
import { isLocalLoginDisabled, DisabledWhen } from '../../identity/auth/access/disabled-when.decorator.js';
import { PasswordLogin } from '../../identity/auth/sign-in/password-login.service.js';
import { Field, requiredSecret, requiredText } from '../../platform/http/input/field.decorator.js';

/** Body of `POST /api/auth/local/login`. */
class LocalLoginDto {
  /** A username or an e-mail address. */
  @Field(requiredText(320)) login: string;
  @Field(requiredSecret) password: string;
}

/** Sign-in with login and password. In federated-only mode the route returns an error. */
@ApiTags('Password')
@Controller('api/auth/local')
export class LocalLoginController {
  constructor(
    private readonly credentials: PasswordLogin,
    private readonly signIns: SignInService,
  ) {}

  @Post('login')
  @PublicAction('by-account')
  @DisabledWhen('local_login_disabled', isLocalLoginDisabled)
  @ApiOperation({
    summary: 'Sign in with a password',
    description: '`login` is a username or an e-mail address.',
  })
  @IssuesTokens()
  @Throws('invalid_credentials', 'account_inactive')
  login(@Body() { login, password }: LocalLoginDto, @Client() client: ClientContext): Promise<TokenSet> {
    return this.signIns.complete(() => this.credentials.verify(login, password, client));
  }
}
