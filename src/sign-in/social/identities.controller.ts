import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Message, AnswersData, AnswersObject, Throws } from '../../platform/http/documentation.decorators.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StepUp } from '../../identity/auth/step-up/step-up.decorator.js';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Client, type ClientContext, Origin } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/auth/sign-in/fresh-proof.service.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { CONFIG } from '../../platform/config/config.module.js';
import type { Config } from '../../platform/config/config.types.js';
import { IdentitiesService, ListedIdentity } from './accounts/identities.service.js';
import { LinkTokens } from './login/link-tokens.service.js';
import { StateCookie } from './login/state-cookie.js';
import { ProviderRegistry } from './provider-registry.service.js';
import { type CookieScope, cookieScope, optionalSecret, requiredText } from '../../platform/http/http.public.js';
import { Field } from '../../platform/http/field.decorator.js';

/** Body of `POST /api/auth/identities`. */
class LinkIdentityDto {
  /** Name of the provider. */
  @Field(requiredText(40)) provider: string;
  /** Needed if the account has a password to sign in with. */
  @Field(optionalSecret) current_password?: string | null;
}

/** The providers that the signed-in person has linked. */
@ApiTags('Account')
@Controller('api/auth/identities')
export class IdentitiesController {
  private readonly scope: CookieScope;

  constructor(
    private readonly identities: IdentitiesService,
    private readonly providers: ProviderRegistry,
    private readonly links: LinkTokens,
    private readonly fresh: FreshProof,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.scope = cookieScope(config);
  }

  @Get()
  @Resource('auth.identities.list')
  @ApiOperation({ summary: 'The providers that you have linked' })
  @AnswersData([ListedIdentity])
  async list(@CurrentAccount() account: AccountPrincipal): Promise<{ data: ListedIdentity[] }> {
    return { data: await this.identities.list(account.userId) };
  }

  /**
   * Answers the address at which this browser, and no other, begins to link a provider. Good for five minutes, once. What is
   * linked opens the account for good: the person is asked once more who they are.
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
    const cookie = new StateCookie(name, this.scope);
    const binding = cookie.findOrMake(request);
    const token = await this.links.issue(account, name, binding);
    cookie.give(reply, binding);
    return { location: `${this.config.basePath}/api/auth/${name}/login?link=${token}` };
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
