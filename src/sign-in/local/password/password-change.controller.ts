import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../../identity/auth/auth.public.js';
import { newPassword } from '../../../identity/users/users.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { StepUp } from '../../../identity/auth/step-up/step-up.decorator.js';
import { Field, requiredSecret } from '../../../platform/http/input/field.decorator.js';
import { PasswordChangeService } from './password-change.service.js';

/** Body of `POST /api/auth/local/password`. */
class PasswordChangeDto {
  @Field(requiredSecret) current_password: string;
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
}

/** Changing the own password. The route does not exist in federated-only mode. */
@ApiTags('Password')
@Controller('api/auth/local')
export class PasswordChangeController {
  constructor(private readonly passwords: PasswordChangeService) {}

  @Post('password')
  @HttpCode(200)
  @Resource('auth.password.change')
  @StepUp({ ofFactor: true })
  @ApiOperation({
    summary: 'Change the password',
    description: 'Revokes all other sessions and notifies the user by mail.',
  })
  @AnswersData({ const: true })
  @Throws('password_mismatch', 'not_a_local_account', 'invalid_credentials', 'rate_limited', 'server_busy')
  async change(
    @Body() { current_password: current, password, password_confirmation: confirmation }: PasswordChangeDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: true }> {
    if (password !== confirmation) throw new AppError('password_mismatch');
    await this.passwords.change(account, current, password, client);
    return { data: true };
  }
}
