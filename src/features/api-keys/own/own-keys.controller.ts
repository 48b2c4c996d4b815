import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Public, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext, Origin } from '../../../identity/auth/auth.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import { ApiKeys } from '../api-keys.service.js';
import { IssuedKey, KeyDto, ListedKey, ReportDto, RotateDto } from '../api-keys.dto.js';
import { OwnKeys } from './own-keys.service.js';

@ApiTags('API keys')
@Controller('api/auth/keys')
export class OwnKeysController {
  constructor(
    private readonly own: OwnKeys,
    private readonly keys: ApiKeys,
  ) {}

  @Get()
  @Resource('auth.keys.list')
  @ApiOperation({ summary: 'List your API keys' })
  @AnswersData([ListedKey])
  async list(@CurrentAccount() { userId }: AccountPrincipal): Promise<{ data: ListedKey[] }> {
    return { data: await this.keys.list(userId) };
  }

  @Post()
  @Resource('auth.keys.create')
  @RateLimit('apiKeys')
  @ApiOperation({
    summary: 'Create an API key',
    description: 'The key is returned only once. You are notified by mail.',
  })
  @AnswersData(IssuedKey)
  @Throws('too_many_keys', 'step_up_required', 'invalid_credentials')
  async create(
    @CurrentAccount() account: AccountPrincipal,
    @Body() body: KeyDto,
    @Client() client: ClientContext,
  ): Promise<{ data: IssuedKey }> {
    return { data: await this.own.create(account, body, client) };
  }

  @Post('report')
  @HttpCode(202)
  @Public()
  @RateLimit('apiKeys')
  @ApiOperation({
    summary: 'Report a leaked API key',
    description: 'Revokes the key and notifies its owner. The response is the same whether or not the text is a key.',
  })
  @ApiResponse({ status: 202, type: Message })
  async report(@Body() { key }: ReportDto, @Origin() origin: RequestOrigin): Promise<Message> {
    await this.keys.report(key, origin);
    return { message: 'Thank you. If this was an API key, it was revoked and its owner was notified.' };
  }

  @Post(':id/rotate')
  @Resource('auth.keys.rotate')
  @RateLimit('apiKeys')
  @ApiOperation({
    summary: 'Replace an API key',
    description: 'The replaced key stays valid for some hours (`overlap_hours`).',
  })
  @AnswersData(IssuedKey)
  @Throws('key_not_found', 'key_rotated', 'too_many_keys', 'step_up_required', 'invalid_credentials')
  async rotate(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Body() body: RotateDto,
    @Client() client: ClientContext,
  ): Promise<{ data: IssuedKey }> {
    return { data: await this.own.rotate(account, id, body, client) };
  }

  @Delete(':id')
  @Resource('auth.keys.delete')
  @ApiOperation({ summary: 'Revoke an API key' })
  @ApiOkResponse({ type: Message })
  @Throws('key_not_found')
  async remove(
    @CurrentAccount() { userId }: AccountPrincipal,
    @Param('id') id: string,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.keys.remove(userId, id, { origin });
    return { message: 'The key was revoked.' };
  }
}
