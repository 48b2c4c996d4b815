import { Body, Controller, Post } from '@nestjs/common';
import { Public } from '../auth/access.decorators.js';
import type { ActivationMethod } from '../config/config.types.js';
import { RateLimit } from '../http/rate-limit/rate-limit.decorator.js';
import { AppError } from '../kernel/app-error.js';
import { RegistrationService } from '../registration-policy/registration.service.js';
import { RegisterDto } from './register.dto.js';

/** Signing up with a password. Not there in federated-only mode. */
@Controller('api/auth/local')
export class RegisterController {
  constructor(private readonly registration: RegistrationService) {}

  @Post('register')
  @Public()
  @RateLimit('register')
  async register(@Body() body: RegisterDto): Promise<{ data: { activation: ActivationMethod } }> {
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    const { email, password, username, first_name: firstName, last_name: lastName } = body;
    const activation = await this.registration.register({ email, password, username, firstName, lastName });
    return { data: { activation } };
  }
}
