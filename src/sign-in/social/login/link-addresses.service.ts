import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { CONFIG } from '../../../platform/config/config.module.js';
import type { Config } from '../../../platform/config/config.types.js';
import { type CookieScope, cookieScope } from '../../../platform/http/http.public.js';
import { LinkTokens } from './link-tokens.service.js';
import { StateCookie } from './state-cookie.js';

interface AskingBrowser {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

@Injectable()
export class LinkAddresses {
  private readonly scope: CookieScope;

  constructor(
    private readonly links: LinkTokens,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.scope = cookieScope(config);
  }

  /**
   * Returns a URL for this browser only. It is valid for five minutes, once.
   *
   * @param isStepUp whether the browser only renews the proof of the session.
   */
  async issue(
    account: AccountPrincipal,
    provider: string,
    isStepUp: boolean,
    { request, reply }: AskingBrowser,
  ): Promise<{ location: string }> {
    const cookie = new StateCookie(provider, this.scope);
    const binding = cookie.findOrMake(request);
    const token = await this.links.issue(account, provider, binding, isStepUp);
    cookie.give(reply, binding);
    return { location: `${this.config.basePath}/api/auth/${provider}/login?link=${token}` };
  }
}
