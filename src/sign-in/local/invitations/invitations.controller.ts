import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { PublicAction } from '../../../identity/auth/access/access.decorators.js';
import { Origin } from '../../../identity/auth/auth.public.js';
import { RecordsRefusals } from '../../../identity/auth/sign-in/records-refusals.decorator.js';
import { MAILED_TOKEN_ERRORS } from '../../../identity/secrets/one-time-secrets.errors.js';
import { newPassword } from '../../../identity/users/users.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import type { RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, AnswersObject, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { Field, requiredSecret, requiredText } from '../../../platform/http/input/field.decorator.js';
import { Invitations } from './invitations.service.js';
import { defineLimit } from '../../../kernel/limits.js';

const TOKEN_MAX = defineLimit(200, 'Accounts', 'characters of the token of an invitation', 'validation_failed');

/** Body of `POST /api/auth/invitations/check`. */
class InvitationDto {
  @Field(requiredText(TOKEN_MAX)) token: string;
}

/** Body of `POST /api/auth/invitations/accept`. */
class AcceptDto extends InvitationDto {
  @Field(newPassword) password: string;
  @Field(requiredSecret) password_confirmation: string;
}

/** Invitations to accounts that an administrator created. The routes do not exist in federated-only mode. */
@ApiTags('Password')
@Controller('api/auth/invitations')
export class InvitationsController {
  constructor(private readonly invitations: Invitations) {}

  @Post('check')
  @PublicAction('general')
  @ApiOperation({ summary: 'Check an invitation token', description: 'Does not consume the token.' })
  @AnswersObject({ valid: { type: 'boolean' } })
  async check(@Body() { token }: InvitationDto): Promise<{ valid: boolean }> {
    return { valid: await this.invitations.check(token) };
  }

  @Post('accept')
  @PublicAction('general')
  @ApiOperation({
    summary: 'Accept an invitation and set the password',
    description: 'The user can sign in afterwards.',
  })
  @AnswersData({ const: true })
  @Throws(...MAILED_TOKEN_ERRORS, 'password_mismatch', 'server_busy')
  @RecordsRefusals('invitation')
  async accept(
    @Body() { token, password, password_confirmation: confirmation }: AcceptDto,
    @Origin() origin: RequestOrigin,
  ): Promise<{ data: true }> {
    if (password !== confirmation) throw new AppError('password_mismatch');
    await this.invitations.accept(token, password, origin);
    return { data: true };
  }
}
