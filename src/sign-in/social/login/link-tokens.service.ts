import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { BrowserContext } from '../../../identity/auth/auth.public.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { definePurpose, grantOrThrow, OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import type { LoginIntent } from '../providers/provider.types.js';
import { PendingLogins } from './pending-logins.service.js';
import { StateCookie } from './state-cookie.js';

const LIFETIME_SECONDS = 300;

interface LinkData {
  readonly sessionId: string;
  readonly provider: string;
  readonly bindingHash: string;
  /** Whether the browser only renews the proof of the session. */
  readonly isStepUp: boolean;
}

export const IDENTITY_LINK = definePurpose<LinkData>('identity-link');

/**
 * Tokens to start linking a provider, because a browser that opens a URL sends no access token. A token works only in the browser that
 * requested it. Otherwise an attacker could send the URL to a victim and link the victim's identity to the attacker's account.
 */
@Injectable()
export class LinkTokens {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly logins: PendingLogins,
  ) {}

  /**
   * Returns a URL for this browser only. It is valid for five minutes, once.
   *
   * @param isStepUp whether the browser only renews the proof of the session.
   */
  async issueAddress(
    { userId, sessionId }: AccountPrincipal,
    provider: string,
    isStepUp: boolean,
    { request, reply }: BrowserContext,
  ): Promise<{ location: string }> {
    const cookie = new StateCookie(provider, request);
    const binding = cookie.findOrCreate();
    const bindingHash = this.logins.bindingHash(binding);
    const { secret } = await this.secrets.issueToken(this.dataSource.manager, {
      purpose: IDENTITY_LINK,
      userId,
      lifetimeSeconds: LIFETIME_SECONDS,
      data: { sessionId, provider, bindingHash, isStepUp },
    });
    cookie.set(reply, binding);
    return { location: `${this.config.basePath}/api/auth/${provider}/login?link=${secret}` };
  }

  /**
   * Consumes a token, even if the remaining checks fail, and returns the intent of its session.
   *
   * @throws AppError `token_invalid`, `token_expired` (400).
   */
  async consume(
    token: string,
    provider: string,
    binding: string,
  ): Promise<Pick<LoginIntent, 'linkSessionId' | 'isStepUp'>> {
    const { data } = grantOrThrow(await this.secrets.consumeToken(this.dataSource.manager, IDENTITY_LINK, token));
    const right = data.provider === provider && data.bindingHash === this.logins.bindingHash(binding);
    if (!right) throw AppError.mailedToken('token_invalid');
    return { linkSessionId: data.sessionId, isStepUp: data.isStepUp };
  }
}
