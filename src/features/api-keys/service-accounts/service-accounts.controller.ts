import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext, Origin } from '../../../identity/auth/auth.public.js';
import type { AccountPrincipal, RequestOrigin } from '../../../kernel/principal.types.js';
import { AnswersData, Message, Throws } from '../../../platform/http/output/documentation.decorators.js';
import { RateLimit } from '../../../platform/http/rate-limit/rate-limit.decorator.js';
import {
  IssuedKey,
  ListedKey,
  ListedServiceAccount,
  RotateDto,
  ServiceAccountDto,
  ServiceKeyDto,
} from '../api-keys.dto.js';
import { ServiceAccounts } from './service-accounts.service.js';
import type { FastifyRequest } from 'fastify';
import { StepUp } from '../../../identity/auth/step-up/step-up.decorator.js';

/** Returns whether the body may assign roles, which requires a step-up. Malformed input counts as true. */
function givesRoles({ body }: FastifyRequest): boolean {
  const { roles } = (body ?? {}) as { readonly roles?: unknown };
  return !Array.isArray(roles) || roles.length > 0;
}

@ApiTags('API keys')
@Controller('api/service-accounts')
export class ServiceAccountsController {
  constructor(private readonly accounts: ServiceAccounts) {}

  @Get()
  @Resource('service-accounts.list')
  @ApiOperation({ summary: 'List the service accounts' })
  @AnswersData([ListedServiceAccount])
  async list(): Promise<{ data: ListedServiceAccount[] }> {
    return { data: await this.accounts.list() };
  }

  @Post()
  @Resource('service-accounts.create')
  @StepUp({ ofFactor: true, when: givesRoles })
  @ApiOperation({
    summary: 'Create a service account',
    description:
      'A service account can use API keys only. It can have only roles of the caller, unless the caller has the permission `service-accounts.assign-any-role`.',
  })
  @AnswersData(ListedServiceAccount)
  async create(
    @CurrentAccount() account: AccountPrincipal,
    @Body() body: ServiceAccountDto,
    @Origin() origin: RequestOrigin,
  ): Promise<{ data: ListedServiceAccount }> {
    return { data: await this.accounts.create(account, body, origin) };
  }

  @Delete(':id')
  @Resource('service-accounts.delete')
  @StepUp({ ofFactor: true })
  @ApiOperation({ summary: 'Delete a service account and its keys' })
  @ApiOkResponse({ type: Message })
  @Throws('service_account_not_found', 'record_in_use')
  async remove(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.accounts.remove(account, id, origin);
    return { message: 'The service account was deleted.' };
  }

  @Get(':id/keys')
  @Resource('service-accounts.keys.list')
  @ApiOperation({ summary: 'List the API keys of a service account' })
  @AnswersData([ListedKey])
  @Throws('service_account_not_found')
  async listKeys(@Param('id') id: string): Promise<{ data: ListedKey[] }> {
    return { data: await this.accounts.listKeys(id) };
  }

  @Post(':id/keys')
  @Resource('service-accounts.keys.create')
  @RateLimit('apiKeys')
  @ApiOperation({ summary: 'Create an API key for a service account', description: 'The key is returned only once.' })
  @AnswersData(IssuedKey)
  @Throws('service_account_not_found', 'too_many_keys', 'step_up_required', 'invalid_credentials')
  async createKey(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Body() body: ServiceKeyDto,
    @Client() client: ClientContext,
  ): Promise<{ data: IssuedKey }> {
    return { data: await this.accounts.createKey(account, id, body, client) };
  }

  @Post(':id/keys/:key/rotate')
  @Resource('service-accounts.keys.rotate')
  @RateLimit('apiKeys')
  @ApiOperation({
    summary: 'Replace an API key of a service account',
    description: 'The replaced key stays valid for some hours (`overlap_hours`).',
  })
  @AnswersData(IssuedKey)
  @Throws('service_account_not_found', 'key_not_found', 'key_rotated', 'too_many_keys')
  @Throws('step_up_required', 'invalid_credentials')
  async rotateKey(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Param('key') key: string,
    @Body() body: RotateDto,
    @Client() client: ClientContext,
  ): Promise<{ data: IssuedKey }> {
    return { data: await this.accounts.rotateKey(account, { id, key }, body, client) };
  }

  @Delete(':id/keys/:key')
  @Resource('service-accounts.keys.delete')
  @ApiOperation({ summary: 'Revoke an API key of a service account' })
  @ApiOkResponse({ type: Message })
  @Throws('service_account_not_found', 'key_not_found')
  async removeKey(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Param('key') key: string,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.accounts.removeKey(account, { id, key }, origin);
    return { message: 'The key was revoked.' };
  }
}
