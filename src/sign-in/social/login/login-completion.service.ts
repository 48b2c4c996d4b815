import { Injectable } from '@nestjs/common';
import { NativeAppLogin } from '../../../identity/auth/carrier/native-app-login.service.js';
import type { ClientContext } from '../../../identity/auth/auth.public.js';
import { ExchangeCodes } from '../../../identity/auth/exchange/exchange-codes.service.js';
import type { ProvenAccount } from '../../../identity/auth/sign-in/sign-in-method.port.js';
import { type Proof, SignInService } from '../../../identity/auth/sign-in/sign-in.service.js';
import { FederatedAccounts } from '../accounts/federated-accounts.service.js';
import { IdentitiesService } from '../accounts/identities.service.js';
import { ProviderRegistry } from '../provider-registry.service.js';
import type { LoginIntent, ProviderProfile } from '../providers/provider.types.js';
import { readCallbackParameters } from './callback-parameters.js';
import { addressOf, redirectTo, type ReturnPage, type LoginRedirect, pageOf } from './login-redirect.js';
import { LoginRefusals } from './login-refusals.service.js';
import { PendingLogins } from './pending-logins.service.js';

export interface CallbackBrowser {
  /** Query or form of the callback, not validated. */
  readonly parameters: unknown;
  /** The value of its state cookie. */
  readonly binding: string | null;
  readonly client: ClientContext;
}

/** Second half of a federated login: from the callback to an exchange code or a linked identity. */
@Injectable()
export class LoginCompletion {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly logins: PendingLogins,
    private readonly accounts: FederatedAccounts,
    private readonly identities: IdentitiesService,
    private readonly nativeApps: NativeAppLogin,
    private readonly codes: ExchangeCodes,
    private readonly signIns: SignInService,
    private readonly refusals: LoginRefusals,
  ) {}

  async complete(name: string, browser: CallbackBrowser): Promise<LoginRedirect> {
    let returnPage: ReturnPage = { page: 'sign-in', language: null };
    let isAudited = false;
    // From here on, the sign-in service writes refusals to the audit log.
    const prove = async (profile: ProviderProfile): Promise<ProvenAccount> => {
      const account = await this.accounts.prove(name, profile, {
        ...browser.client,
        language: returnPage.language ?? browser.client.language,
      });
      isAudited = true;
      return account;
    };
    try {
      const provider = this.providers.get(name);
      const parameters = readCallbackParameters(browser.parameters);
      // Consume the state before any other parameter is checked.
      const login = await this.logins.consume(name, parameters.state, browser.binding);
      const { linkSessionId: sessionId, isStepUp, language } = login.intent;
      returnPage = { page: pageOf(login.intent), language, isStepUp };
      const profile = await provider.finish(parameters, login);
      if (sessionId === null) return redirectTo(await this.signIn(() => prove(profile), login.intent));
      const linking = { sessionId, provider: name, profile, origin: browser.client };
      if (isStepUp) await this.identities.prove(linking);
      else await this.identities.link(linking);
      const outcome = isStepUp ? 'proven' : 'linked';
      return redirectTo(`${addressOf('account', language)}#${outcome}=${encodeURIComponent(name)}`);
    } catch (error) {
      return await this.refusals.redirect(error, name, returnPage, isAudited ? null : browser.client);
    }
  }

  private async signIn(prove: Proof, { carrier, codeChallenge, language }: LoginIntent): Promise<string> {
    if (carrier === null) {
      const account = await this.signIns.allow(prove, { codeChallenge });
      return `${addressOf('sign-in', language)}#code=${await this.codes.issue(account, { codeChallenge })}`;
    }
    return this.nativeApps.complete(carrier, prove);
  }
}
