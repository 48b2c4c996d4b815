import { Body, Controller, Get, Post } from '@nestjs/common';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { AppError } from '../../kernel/app-error.js';
import { SetupDto } from './setup.dto.js';
import { SetupService } from './setup.service.js';

/** First set-up. Not there in federated-only mode. */
@Controller('api/setup')
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Get()
  @Public()
  async state(): Promise<{ data: { completed: boolean } }> {
    return { data: { completed: await this.setup.hasAdministrator() } };
  }

  @Post()
  @Public()
  @RateLimit('general')
  async complete(@Body() { token, ...body }: SetupDto): Promise<{ message: string }> {
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    await this.setup.complete(token, body);
    return { message: 'The administrator account is ready. You can sign in now.' };
  }
}
