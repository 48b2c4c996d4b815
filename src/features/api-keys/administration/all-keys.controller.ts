import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Origin } from '../../../identity/auth/auth.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { KeyPage, KeyQuery } from '../api-keys.dto.js';
import { KeyAdministration } from './key-administration.service.js';

@ApiTags('API keys')
@Controller('api/keys')
export class AllKeysController {
  constructor(private readonly administration: KeyAdministration) {}

  @Get()
  @Resource('keys.list')
  @ApiOperation({
    summary: 'List the API keys of all accounts, newest first',
    description: 'Returns the owner and properties of each key, but not the key itself.',
  })
  @AnswersData(KeyPage)
  async list(@Query() query: KeyQuery): Promise<{ data: KeyPage }> {
    return { data: await this.administration.list(query) };
  }

  @Delete(':id')
  @Resource('keys.delete')
  @ApiOperation({
    summary: 'Revoke an API key of any account',
    description: 'Only root accounts can revoke keys of root accounts.',
  })
  @ApiOkResponse({ type: Message })
  @Throws('key_not_found')
  async end(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.administration.end(account, id, origin);
    return { message: 'The key was revoked.' };
  }
}
