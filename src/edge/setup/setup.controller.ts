import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { RecordsRefusals } from '../../identity/auth/sign-in/records-refusals.decorator.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { SetupService } from './setup.service.js';
import { Field, requiredSecret, requiredText } from '../../platform/http/input/field.decorator.js';
import { newPassword, optionalUsername, requiredEmail } from '../../identity/users/users.public.js';

/** Body of `POST /api/setup`. */
class SetupDto {
  /** Token that the server printed at its start. */
  @Field(requiredText(200)) token: string;
  @Field(requiredEmail) email: string;
  @Field(optionalUsername) username?: string | null;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
}

/** Creation of the first administrator. The routes do not exist in federated-only mode. */
@ApiTags('Service')
@Controller('api/setup')
export class SetupController {
  constructor(private readonly setup: SetupService) {}

  @Get()
  @Public()
  @ApiOperation({ summary: 'Get the setup status' })
  @AnswersData({ type: 'object', required: ['completed'], properties: { completed: { type: 'boolean' } } })
  async state(): Promise<{ data: { completed: boolean } }> {
    return { data: { completed: await this.setup.hasAdministrator() } };
  }

  @Post()
  @Public()
  @RateLimit('general')
  @ApiOperation({
    summary: 'Create the first administrator',
    description: 'Requires the setup token that the service prints at its first start.',
  })
  @ApiCreatedResponse({ type: Message })
  @Throws('setup_token_invalid', 'setup_completed', 'password_mismatch', 'email_taken', 'username_taken', 'server_busy')
  @RecordsRefusals('setup')
  async complete(@Body() { token, ...body }: SetupDto): Promise<Message> {
    if (body.password !== body.password_confirmation) throw new AppError('password_mismatch');
    await this.setup.complete(token, body);
    return { message: 'The administrator account was created. You can sign in now.' };
  }
}
