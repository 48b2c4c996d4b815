import { Injectable } from '@nestjs/common';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { NativeAppLogin } from '../../../identity/auth/carrier/native-app-login.service.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { LANGUAGES, pickLanguage } from '../../../kernel/text/language.js';
import { isCodeChallenge } from '../../../kernel/keys/pkce.js';
import { ProviderRegistry } from '../provider-registry.service.js';
import type { LoginIntent } from '../providers/provider.types.js';
import { addressOf, redirectTo, type LoginRedirect, pageOf } from './login-redirect.js';
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
  /** The value of the browser's state cookie. */
  readonly binding: string;
  /** False if `Sec-Fetch-Site` is present and not `same-origin`. */
  readonly isSameOrigin: boolean;
  readonly client: ClientContext;
}

const DEFAULT_INTENT: LoginIntent = {
  carrier: null,
  codeChallenge: null,
  linkSessionId: null,
  isStepUp: false,
  language: null,
};

/** First step of a federated login: the redirect to the provider. */
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
   * @returns a redirect to the provider, or to the page with the error if the provider or the link token fails. A native-app login
   * that no page of this origin started is redirected to the sign-in page, which names the app and asks the user to confirm.
   * @throws AppError `provider_not_found`, `carrier_invalid`, `validation_failed`.
   */
  async start(name: string, query: LoginQuery, browser: RequestingBrowser): Promise<LoginRedirect> {
    const provider = this.providers.get(name);
    const { binding, isSameOrigin } = browser;
    const { cli, link } = query;
    const language = typeof query.lang === 'string' ? pickLanguage([query.lang], LANGUAGES) : null;
    let intent = { ...(cli === undefined ? browserIntent(query) : this.nativeAppIntent(cli)), language };
    if (intent.carrier !== null && !isSameOrigin) return redirectTo(addressOf(pageOf(intent), language));
    try {
      if (link !== undefined) intent = { ...(await this.linkIntent(link, name, binding)), language };
      return redirectTo(await provider.start(this.logins.open(name, binding, intent)));
    } catch (error) {
      const page = link === undefined ? pageOf(intent) : 'account';
      return await this.refusals.redirect(error, name, { page, language, isStepUp: intent.isStepUp }, browser.client);
    }
  }

  private nativeAppIntent(cli: unknown): LoginIntent {
    if (typeof cli !== 'string' || this.nativeApps.read(cli) === null) throw new AppError('carrier_invalid');
    return { ...DEFAULT_INTENT, carrier: cli };
  }

  private async linkIntent(link: unknown, name: string, binding: string): Promise<LoginIntent> {
    if (typeof link !== 'string') throw AppError.mailedToken('token_invalid');
    return { ...DEFAULT_INTENT, ...(await this.links.consume(link, name, binding)) };
  }
}

/** Returns the intent of a browser sign-in. The code is bound to the PKCE challenge of the tab, so that no other tab can use it. */
function browserIntent({ code_challenge: challenge }: LoginQuery): LoginIntent {
  if (challenge === undefined) return DEFAULT_INTENT;
  if (typeof challenge === 'string' && isCodeChallenge(challenge))
    return { ...DEFAULT_INTENT, codeChallenge: challenge };
  const fault = { field: 'code_challenge', code: 'code_challenge_invalid' };
  throw AppError.validation([{ ...fault, message: 'must be the SHA-256 of the verifier in base64url, 43 characters' }]);
}
