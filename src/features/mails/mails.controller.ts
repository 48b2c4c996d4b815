import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, Resource } from '../../identity/auth/access/access.decorators.js';
import { Origin, SpokenLanguage } from '../../identity/auth/auth.public.js';
import { requiredEmail } from '../../identity/users/users.public.js';
import type { Language } from '../../kernel/text/language.js';
import type { Principal, RequestOrigin } from '../../kernel/principal.types.js';
import { isUuid } from '../../kernel/keys/random.js';
import { AnswersData, Message, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { type FieldCheck, withConstraints } from '../../platform/http/http.public.js';
import { MAIL_STATES, MailPage, MailsService } from './mails.service.js';

const optionalState: FieldCheck = withConstraints({ pattern: `^(${MAIL_STATES.join('|')})$` }, (value) =>
  value === undefined || MAIL_STATES.some((state) => state === value)
    ? null
    : { code: 'value_invalid', message: `must be ${MAIL_STATES.join(' or ')}` },
);

const optionalCursor: FieldCheck = (value) =>
  value === undefined || isUuid(value) ? null : { code: 'value_invalid', message: 'is not a cursor of this list' };

/** Filter of a list of mails. */
class MailQuery {
  @Field(optionalState) state?: string;
  @Field(optionalCursor) cursor?: string;
}

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
    summary: 'Mails that are owed, and those that were given up',
    description: 'Without what they say. What was sent is not kept.',
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
    description: 'It goes as all others do: while it is owed, or once it was given up, it is in the list, with why.',
  })
  @ApiAcceptedResponse({ type: Message })
  @Throws('mail_off', 'rate_limited')
  async test(
    @Body() { email }: TestMailDto,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
    @SpokenLanguage() language: Language | null,
  ): Promise<Message> {
    await this.mails.test(email, language, principal, origin);
    return { message: 'The mail is on its way.' };
  }

  @Post(':id/retry')
  @HttpCode(200)
  @Resource('mails.retry')
  @ApiOperation({ summary: 'Try a mail again at once' })
  @ApiOkResponse({ type: Message })
  @Throws('mail_not_found')
  async retry(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.mails.retry(id, principal, origin);
    return { message: 'The mail is tried again.' };
  }
}
