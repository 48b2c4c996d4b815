import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentAccount, Public, Resource } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext } from '../../identity/auth/auth.public.js';
import type { AccountPrincipal } from '../../identity/auth/access/principal.types.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeCompletionService } from './email-change-completion.service.js';
import { EmailChangeDto, TokenDto } from './verification.dto.js';

/** Changing the address of an account. There in federated-only mode too. */
@Controller('api/auth/local/email')
export class EmailChangeController {
  constructor(
    private readonly requests: EmailChangeService,
    private readonly completion: EmailChangeCompletionService,
  ) {}

  @Post('change')
  @HttpCode(200)
  @Resource('auth.email.change')
  async change(
    @Body() body: EmailChangeDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ message: string }> {
    await this.requests.request(account, body.new_email, body.current_password, client);
    return { message: 'A link was mailed to the new address. The change holds once it is confirmed.' };
  }

  @Post('confirm')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  async confirm(@Body() { token }: TokenDto): Promise<{ message: string }> {
    await this.completion.confirm(token);
    return { message: 'The address of the account is changed.' };
  }

  @Post('cancel')
  @HttpCode(200)
  @Public()
  @RateLimit('general')
  async cancel(@Body() { token }: TokenDto): Promise<{ message: string }> {
    await this.completion.cancel(token);
    return { message: 'The change is cancelled, and all sessions are ended.' };
  }
}
