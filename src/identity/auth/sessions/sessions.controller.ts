import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, AnswersData, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { CurrentAccount, Resource } from '../access/access.decorators.js';
import { Client, type ClientContext, Origin } from '../access/client-context.js';
import { ListedSession, SessionService } from './session.service.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';

@ApiTags('Account')
@Controller('api/auth/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionService) {}

  @Get()
  @Resource('auth.sessions.list')
  @ApiOperation({ summary: 'List your sessions' })
  @AnswersData([ListedSession])
  async list(
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
  ): Promise<{ data: ListedSession[] }> {
    return { data: await this.sessions.list(account, client) };
  }

  @Delete(':id')
  @Resource('auth.sessions.delete')
  @ApiOperation({ summary: 'Revoke a session' })
  @ApiOkResponse({ type: Message })
  @Throws('session_not_found')
  async end(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.sessions.endOwn(account, id, origin);
    return { message: 'The session was revoked.' };
  }

  @Delete()
  @Resource('auth.sessions.delete')
  @ApiOperation({ summary: 'Revoke all sessions except the current one' })
  @ApiOkResponse({ type: Message })
  async endOthers(@CurrentAccount() account: AccountPrincipal, @Origin() origin: RequestOrigin): Promise<Message> {
    await this.sessions.endOthers(account, origin);
    return { message: 'All other sessions were revoked.' };
  }
}
