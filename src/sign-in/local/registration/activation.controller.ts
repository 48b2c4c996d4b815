import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { MAILED_TOKEN_ERRORS } from '../../../identity/secrets/one-time-secrets.errors.js';
import { PublicAction } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../../identity/auth/auth.public.js';
import { RecordsRefusals } from '../../../identity/auth/sign-in/records-refusals.decorator.js';
import { DisabledWhen } from '../../../identity/auth/access/disabled-when.decorator.js';
import { ActivationService } from './activation.service.js';
import { VerificationMailer } from '../verification/verification-mailer.service.js';
import { EmailDto, MailProofDto, MailRequested, readMailProof } from '../verification/verification.dto.js';

@ApiTags('Password')
@Controller('api/auth/local/activate')
export class ActivationController {
  constructor(
    private readonly activation: ActivationService,
    private readonly mailer: VerificationMailer,
  ) {}

  @Post()
  @PublicAction('general')
  @ApiOperation({
    summary: 'Activate an account',
    description: 'Send the `token` of the link or, for typed codes, `session_id` and `code`.',
  })
  @ApiOkResponse({ type: Message })
  @Throws(...MAILED_TOKEN_ERRORS)
  @RecordsRefusals('activation')
  async activate(@Body() body: MailProofDto, @Client() client: ClientContext): Promise<Message> {
    await this.activation.activate(readMailProof(body), client);
    return { message: 'The account is active. You can sign in now.' };
  }

  @Post('send')
  @PublicAction('general')
  @DisabledWhen('activation_not_by_email', ({ auth }) => auth.local.activationMethod !== 'email')
  @ApiOperation({ summary: 'Resend the activation mail' })
  @ApiOkResponse({ type: MailRequested })
  async send(@Body() { email }: EmailDto, @Client() client: ClientContext): Promise<MailRequested> {
    return this.mailer.request('activation', email, client);
  }
}
