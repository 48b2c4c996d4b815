import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin, RequestLanguage } from '../../identity/auth/auth.public.js';
import { requiredEmail } from '../../identity/users/users.public.js';
import type { Language } from '../../kernel/text/language.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { MailPage, MailQuery, MailsService } from './mails.service.js';

/** Address of a test mail. */
class TestMailDto {
  @Field(requiredEmail) email: string;
}

@ApiTags('Service')
@Controller('api/mails')
export class MailsController {
  constructor(private readonly mails: MailsService) {}

  @Get()
  @Resource('mails.list')
  @ApiOperation({
    summary: 'List pending and failed mails',
    description: 'Returns no content of the mails. Sent mails are not kept.',
  })
  @AnswersData(MailPage)
  async list(@Query() query: MailQuery): Promise<{ data: MailPage }> {
    return { data: await this.mails.list(query) };
  }

  @Post('test')
  @HttpCode(202)
  @Resource('mails.test')
  @ApiOperation({
    summary: 'Send a test mail',
    description: 'The mail is queued like any other. See the list for its status and last error.',
  })
  @ApiAcceptedResponse({ type: Message })
  @Throws('mail_off', 'rate_limited')
  async test(
    @Body() { email }: TestMailDto,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
    @RequestLanguage() language: Language | null,
  ): Promise<Message> {
    await this.mails.test(email, language, principal, origin);
    return { message: 'The mail was queued.' };
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Resource('mails.retry')
  @ApiOperation({ summary: 'Retry a mail immediately' })
  @ApiOkResponse({ type: Message })
  @Throws('mail_not_found')
  async retry(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.mails.retry(id, principal, origin);
    return { message: 'The mail is being retried.' };
  }
}
