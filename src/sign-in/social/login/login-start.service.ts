import { Injectable } from '@nestjs/common';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { NativeAppLogin } from '../../../identity/auth/carrier/native-app-login.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { LANGUAGES, pickLanguage } from '../../../kernel/text/language.js';
import { isCodeChallenge } from '../../../kernel/keys/pkce.js';
import { ProviderRegistry } from '../provider-registry.service.js';
import type { LoginIntent } from '../providers/provider.types.js';
import { addressOf, succeeded, type LoginRedirect, pageOf } from './login-redirect.js';
import { LinkTokens } from './link-tokens.service.js';
import { LoginRefusals } from './login-refusals.service.js';
import { PendingLogins } from './pending-logins.service.js';

/** Query of `GET /api/auth/{provider}/login`, not validated. */
export interface LoginQuery {
  readonly cli?: unknown;
  readonly code_challenge?: unknown;
  readonly lang?: unknown;
  readonly link?: unknown;
}

export interface RequestingBrowser {
  /** The value of its state cookie. */
  readonly binding: string;
  /** Whether the browser reports that the request comes from another site or origin. */
  readonly fromElsewhere: boolean;
  readonly client: ClientContext;
}

const NOTHING: LoginIntent = {
  carrier: null,
  codeChallenge: null,
  linkSessionId: null,
  isStepUp: false,
  language: null,
};

/** First half of a federated login: from our page to the provider's. */
@Injectable()
export class LoginStart {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly nativeApps: NativeAppLogin,
    private readonly links: LinkTokens,
    private readonly logins: PendingLogins,
    private readonly refusals: LoginRefusals,
  ) {}

  /**
   * @returns the URL at the provider, or a refusal if the provider or the link token fails. A native-app login that does not start on the
   * page that names the app is redirected to that page first, so that the user must confirm it.
   * @throws AppError `provider_not_found`, `carrier_invalid`, `validation_failed`.
   */
  async start(name: string, query: LoginQuery, browser: RequestingBrowser): Promise<LoginRedirect> {
    const provider = this.providers.get(name);
    const { binding, fromElsewhere } = browser;
    const { cli, link } = query;
    const language = typeof query.lang === 'string' ? pickLanguage([query.lang], LANGUAGES) : null;
    let intent = { ...(cli === undefined ? forOurPages(query) : this.forNativeApp(cli)), language };
    if (intent.carrier !== null && fromElsewhere) return succeeded(addressOf(pageOf(intent), language));
    try {
      if (link !== undefined) intent = { ...(await this.forLinking(link, name, binding)), language };
      return succeeded(await provider.start(this.logins.open(name, binding, intent)));
    } catch (error) {
      const page = link === undefined ? pageOf(intent) : 'account';
      return await this.refusals.redirect(error, name, { page, language, isStepUp: intent.isStepUp }, browser.client);
    }
  }

  private forNativeApp(cli: unknown): LoginIntent {
    if (typeof cli !== 'string' || this.nativeApps.read(cli) === null) throw new AppError('carrier_invalid');
    return { ...NOTHING, carrier: cli };
  }

  private async forLinking(link: unknown, name: string, binding: string): Promise<LoginIntent> {
    if (typeof link !== 'string') throw AppError.mailedToken('token_invalid');
    return { ...NOTHING, ...(await this.links.consume(link, name, binding)) };
  }
}

/** Returns the intent of a sign-in to our pages. The code is bound to the challenge of the tab, so that no other tab can use it. */
function forOurPages({ code_challenge: challenge }: LoginQuery): LoginIntent {
  if (challenge === undefined) return NOTHING;
  if (typeof challenge === 'string' && isCodeChallenge(challenge)) return { ...NOTHING, codeChallenge: challenge };
  const fault = { field: 'code_challenge', code: 'code_challenge_invalid' };
  throw AppError.validation([{ ...fault, message: 'must be the SHA-256 of the verifier in base64url, 43 characters' }]);
}
