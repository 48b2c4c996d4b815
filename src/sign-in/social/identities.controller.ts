import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, AnswersData, AnswersObject, Throws } from '../../platform/http/output/documentation.decorators.js';
import { StepUp } from '../../identity/auth/step-up/step-up.decorator.js';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Browser, type BrowserContext, Client, type ClientContext, Origin } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/assurance/step-up/fresh-proof.service.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { IdentitiesService, ListedIdentity } from './accounts/identities.service.js';
import { LinkTokens } from './login/link-tokens.service.js';
import { ProviderRegistry } from './provider-registry.service.js';
import { Field, optionalSecret, requiredText } from '../../platform/http/input/field.decorator.js';

/** Body of `POST /api/auth/identities`. */
class LinkIdentityDto {
  /** Name of the provider. */
  @Field(requiredText(40)) provider: string;
  /** Required if the account can sign in with a password. */
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
    private readonly links: LinkTokens,
    private readonly fresh: FreshProof,
  ) {}

  @Get()
  @Resource('auth.identities.list')
  @ApiOperation({ summary: 'List your linked providers' })
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
    summary: 'Start linking a provider',
    description:
      'Returns the URL at which this browser continues. It is valid for five minutes and can be used once. Requires `current_password`, or for accounts without a password a sign-in within the last ten minutes.',
  })
  @AnswersObject({ location: { type: 'string' } })
  @Throws('provider_not_found', 'invalid_credentials', 'step_up_required', 'rate_limited')
  async link(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { provider, current_password: password }: LinkIdentityDto,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<{ location: string }> {
    const { name } = this.providers.get(provider);
    await this.fresh.assert(account, password, client);
    return this.links.issueAddress(account, name, false, browser);
  }

  @Post('step-up')
  @HttpCode(200)
  @Resource('auth.mfa.step-up')
  @ApiOperation({
    summary: 'Start a step-up at a provider',
    description:
      'For accounts without a password and without a second factor. Returns the URL at which this browser continues. It is valid for five minutes and can be used once. The browser returns to `/dash/account#proven={provider}`. Then the session counts as newly signed in for ten minutes.',
  })
  @AnswersObject({ location: { type: 'string' } })
  @Throws('provider_not_found', 'identity_not_found', 'step_up_required')
  async prove(
    @CurrentAccount() account: AccountPrincipal,
    @Body() { provider }: ProviderStepUpDto,
    @Browser() browser: BrowserContext,
  ): Promise<{ location: string }> {
    const { name } = this.providers.get(provider);
    await this.fresh.assertWithoutOwnProof(account);
    await this.identities.assertLinked(account.userId, name);
    return this.links.issueAddress(account, name, true, browser);
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
    return { message: 'The provider was unlinked.' };
  }
}

@ApiTags('Provider')
@Controller('api/identities')
export class AllIdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get(':user_id')
  @Resource('identities.list')
  @ApiOperation({ summary: 'List the linked providers of a user' })
  @AnswersData([ListedIdentity])
  @Throws('record_not_found')
  async list(@Param('user_id') userId: string): Promise<{ data: ListedIdentity[] }> {
    return { data: await this.identities.listOf(userId) };
  }
}
