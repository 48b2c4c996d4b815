import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { definePurpose, OneTimeSecrets } from '../../../identity/secrets/one-time-secrets.port.js';
import type { LoginIntent } from '../providers/provider.types.js';
import { PendingLogins } from './pending-logins.service.js';

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
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: OneTimeSecrets,
    private readonly logins: PendingLogins,
  ) {}

  /**
   * @param binding the value of the browser's state cookie.
   * @param isStepUp whether the browser only renews the proof of the session.
   */
  async issue(
    { userId, sessionId }: AccountPrincipal,
    provider: string,
    binding: string,
    isStepUp: boolean,
  ): Promise<string> {
    const bindingHash = this.logins.bindingHash(binding);
    const { secret } = await this.secrets.issueToken(this.dataSource.manager, {
      purpose: IDENTITY_LINK,
      userId,
      lifetimeSeconds: LIFETIME_SECONDS,
      data: { sessionId, provider, bindingHash, isStepUp },
    });
    return secret;
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
    const grant = await this.secrets.consumeToken(this.dataSource.manager, IDENTITY_LINK, token);
    if (typeof grant === 'string') throw AppError.mailedToken(grant === 'expired' ? 'token_expired' : 'token_invalid');
    const { data } = grant;
    const right = data.provider === provider && data.bindingHash === this.logins.bindingHash(binding);
    if (!right) throw AppError.mailedToken('token_invalid');
    return { linkSessionId: data.sessionId, isStepUp: data.isStepUp };
  }
}
