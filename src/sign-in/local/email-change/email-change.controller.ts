import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { MAILED_TOKEN_ERRORS } from '../../../identity/secrets/one-time-secrets.errors.js';
import { ADDRESS_ERRORS } from '../../../identity/registration-policy/registration-policy.errors.js';
import { CurrentAccount, PublicAction, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext, Origin } from '../../../identity/auth/auth.public.js';
import { RecordsRefusals } from '../../../identity/auth/sign-in/records-refusals.decorator.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeDto, TokenDto } from '../verification/verification.dto.js';
import { StepUp } from '../../../identity/auth/step-up/step-up.decorator.js';

/** Changing the e-mail address. The routes also exist in federated-only mode. */
@ApiTags('Password')
@Controller('api/auth/local/email')
export class EmailChangeController {
  constructor(private readonly changes: EmailChangeService) {}

  @Post('change')
  @HttpCode(200)
  @Resource('auth.email.change')
  @StepUp({ ofFactor: true })
  @ApiOperation({ summary: 'Request a change of the e-mail address' })
  @ApiOkResponse({ type: Message })
  @Throws(...ADDRESS_ERRORS, 'invalid_credentials', 'not_a_local_account', 'email_unchanged', 'rate_limited')
  async change(
    @Body() body: EmailChangeDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<Message> {
    await this.changes.request(account, body.new_email, body.current_password, client);
    return {
      message: 'A link was sent to the new address. The change takes effect after you confirm the new address.',
    };
  }

  @Post('confirm')
  @PublicAction('general')
  @ApiOperation({ summary: 'Confirm a new e-mail address' })
  @ApiOkResponse({ type: Message })
  @Throws(...MAILED_TOKEN_ERRORS, 'email_taken')
  @RecordsRefusals('email_change')
  async confirm(@Body() { token }: TokenDto, @Origin() origin: RequestOrigin): Promise<Message> {
    await this.changes.confirm(token, origin);
    return { message: 'The e-mail address of the account was changed.' };
  }

  @Post('cancel')
  @PublicAction('general')
  @ApiOperation({ summary: 'Cancel a change of the e-mail address and revoke all sessions' })
  @ApiOkResponse({ type: Message })
  @Throws(...MAILED_TOKEN_ERRORS)
  @RecordsRefusals('email_cancel')
  async cancel(@Body() { token }: TokenDto, @Origin() origin: RequestOrigin): Promise<Message> {
    await this.changes.cancel(token, origin);
    return { message: 'The change was cancelled, and all sessions were revoked.' };
  }
}
