import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, AnswersData, AnswersObject, Throws } from '../../platform/http/output/documentation.decorators.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StepUp } from '../../identity/auth/step-up/step-up.decorator.js';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext, Origin } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { IdentitiesService, ListedIdentity } from './accounts/identities.service.js';
import { LinkAddresses } from './login/link-addresses.service.js';
import { ProviderRegistry } from './provider-registry.service.js';
import { optionalSecret, requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/input/field.decorator.js';

/** Body of `POST /api/auth/identities`. */
class LinkIdentityDto {
  /** Name of the provider. */
  @Field(requiredText(40)) provider: string;
  /** Needed if the account has a password to sign in with. */
  @Field(optionalSecret) current_password?: string | null;
}

/** Body of `POST /api/auth/identities/step-up`. */
class ProviderStepUpDto {
  /** Name of a linked provider. */
  @Field(requiredText(40)) provider: string;
}

@ApiTags('Account')
@Controller('api/auth/identities')
export class IdentitiesController {
  constructor(
    private readonly identities: IdentitiesService,
    private readonly providers: ProviderRegistry,
    private readonly addresses: LinkAddresses,
    private readonly fresh: FreshProof,
  ) {}

  @Get()
  @Resource('auth.identities.list')
  @ApiOperation({ summary: 'The providers that you have linked' })
  @AnswersData([ListedIdentity])
  async list(@CurrentAccount() account: AccountPrincipal): Promise<{ data: ListedIdentity[] }> {
    return { data: await this.identities.list(account.userId) };
  }

  /**
   * Returns the address at which this browser starts to link a provider. It is valid for five minutes, once, in this browser only. A linked
   * provider is a permanent sign-in method, so a fresh proof is required.
   */
  @Post()
  @HttpCode(200)
  @Resource('auth.identities.create')
  @ApiOperation({
    summary: 'Begin to link a provider',
    description:
      'Answers the address at which this browser goes on; good for five minutes, once. Needs `current_password`, or a sign-in of the last ten minutes if the account has none.',
  })
  @AnswersObject({ location: { type: 'string' } })
  @Throws('provider_not_found', 'invalid_credentials', 'step_up_required', 'rate_limited')
  async link(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { provider, current_password: password }: LinkIdentityDto,
    @Client() client: ClientContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ location: string }> {
    const { name } = this.providers.get(provider);
    await this.fresh.assert(account, password, client);
    return this.addresses.issue(account, name, false, { request, reply });
  }

  @Post('step-up')
  @HttpCode(200)
  @Resource('auth.mfa.step-up')
  @ApiOperation({
    summary: 'Begin to prove at a provider who you are',
    description:
      'For accounts without a password and without a second factor. Returns the address at which this browser continues; valid for five minutes, once. The browser returns to `/dash/account#proven={provider}`. For ten minutes the session then counts as one that has just begun.',
  })
  @AnswersObject({ location: { type: 'string' } })
  @Throws('provider_not_found', 'identity_not_found', 'step_up_required')
  async prove(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { provider }: ProviderStepUpDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ location: string }> {
    const { name } = this.providers.get(provider);
    await this.fresh.assertWithoutOwnProof(account);
    await this.identities.assertLinked(account.userId, name);
    return this.addresses.issue(account, name, true, { request, reply });
  }

  @Delete(':id')
  @Resource('auth.identities.delete')
  @StepUp({ ofFactor: true })
  @ApiOperation({ summary: 'Unlink a provider' })
  @ApiOkResponse({ type: Message })
  @Throws('identity_not_found', 'last_way_in')
  async remove(
    @CurrentAccount() account: AccountPrincipal,
    @Param('id') id: string,
    @Origin() origin: RequestOrigin,
  ): Promise<Message> {
    await this.identities.remove(account.userId, id, origin);
    return { message: 'The provider is not linked any more.' };
  }
}
