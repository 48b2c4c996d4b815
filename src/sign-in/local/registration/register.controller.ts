import { Body, Controller, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { REGISTRATION_ERRORS } from '../../../identity/registration-policy/registration-policy.errors.js';
import { Public } from '../../../identity/auth/access/access.decorators.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { ActivationMethod } from '../../../identity/auth/auth-config.types.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { Origin, RequestLanguage } from '../../../identity/auth/auth.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { Language } from '../../../kernel/text/language.js';
import { RegistrationGate } from '../../../identity/registration-policy/registration-gate.service.js';
import { TYPED_CODE } from '../verification/code-sessions.service.js';
import { VerificationMailer } from '../verification/verification-mailer.service.js';
import { Field, optionalText, requiredSecret } from '../../../platform/http/input/field.decorator.js';
import { newPassword, optionalUsername, requiredEmail } from '../../../identity/users/users.public.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';

/** Body of `POST /api/auth/local/register`. */
class RegisterDto {
  @Field(requiredEmail) email: string;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
  @Field(optionalUsername) username?: string | null;
  @Field(optionalText(100)) first_name?: string | null;
  @Field(optionalText(100)) last_name?: string | null;
}

/** Response to a registration: how the account becomes active and, if the user must type a code, the session that belongs to it. */
class Registered {
  @ApiProperty({ enum: ['auto', 'manual', 'email'] }) readonly activation: ActivationMethod;
  @ApiPropertyOptional() readonly session_id?: string;
  @ApiPropertyOptional({ type: 'integer' }) readonly expires_in?: number;
}

/** Registration with a password. The route does not exist in federated-only mode. */
@ApiTags('Password')
@Controller('api/auth/local')
export class RegisterController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly registration: RegistrationGate,
    private readonly mailer: VerificationMailer,
  ) {}

  @Post('register')
  @Public()
  @RateLimit('register')
  @ApiOperation({
    summary: 'Register an account',
    description: '`activation` is the activation method of the account.',
  })
  @AnswersData(Registered)
  @Throws(...REGISTRATION_ERRORS, 'password_mismatch')
  async register(
    @Body() body: RegisterDto,
    @Origin() origin: RequestOrigin,
    @RequestLanguage() language: Language | null,
  ): Promise<{ data: Registered }> {
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    const { email, password, username, first_name: firstName, last_name: lastName } = body;
    const isMailed = this.config.auth.local.activationMethod === 'email';
    const session = isMailed ? this.mailer.newSession(email, origin) : undefined;
    const activation = await this.registration.register(
      { email, password, username, firstName, lastName, language },
      (manager, user) => this.mailer.send(manager, 'activation', user, session),
      origin,
    );
    if (session === undefined) return { data: { activation } };
    return { data: { activation, session_id: session.id, expires_in: TYPED_CODE.lifetimeSeconds } };
  }
}
