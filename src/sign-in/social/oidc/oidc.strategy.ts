import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-openidconnect';
import type { Context, StateStore } from 'passport-openidconnect';
import { codeChallenge } from '../providers/code-challenge.js';
import type { OpenedLogin, ProviderProfile } from '../providers/provider.types.js';
import type { OidcSettings } from './oidc-settings.types.js';
import type { OidcMetadata } from './oidc-metadata.js';
import passport from 'passport';
import { providerFailed } from '../providers/provider-failure.js';

/** Sends a login off: keeps it with its nonce, and answers its `state`. */
export interface AuthorizationRequest {
  readonly kind: 'request';
  readonly metadata: OidcMetadata;
  readonly login: OpenedLogin;
  readonly keep: (nonce: string) => Promise<string>;
}

/** A login that came back. Everything about it was checked: state, issuer, tokens, claims. */
export interface AuthorizationCallback {
  readonly kind: 'callback';
  readonly metadata: OidcMetadata;
  readonly nonce: string;
  readonly idToken: string;
  /** The issuer of the ID token. */
  readonly issuer: string;
  readonly profile: ProviderProfile;
}

/** Options that passport hands to the strategy for one request. */
export interface OidcStrategyOptions {
  readonly phase: AuthorizationRequest | AuthorizationCallback;
}

/**
 * passport-openidconnect, hardened. The library builds the authorization request and looks over the ID token a last time; it
 * speaks to nobody. What it lacks (PKCE, discovery, signatures, bounds) or does unsafely (reading queries, fetching,
 * redirecting past the framework) is done before it is asked, and handed to it for this one request: passport runs each
 * request on a clone of the strategy, so that what is set on `this` stays with the request.
 */
class HardenedOpenIdConnect extends Strategy {
  constructor(settings: OidcSettings, strategyName: string, verify: (...parameters: never[]) => void) {
    super(
      {
        issuer: settings.issuer,
        authorizationURL: settings.issuer,
        tokenURL: settings.issuer,
        clientID: settings.clientId,
        clientSecret: '',
        callbackURL: settings.redirectUri,
        scope: settings.scope,
        responseMode: settings.responseMode,
        nonce: true,
        skipUserProfile: true,
        store: NO_STORE,
      },
      verify,
    );
    this.name = strategyName;
  }

  override authenticate(_request: Request, { phase }: OidcStrategyOptions): void {
    try {
      if (phase.kind === 'request') this.request(phase);
      else this.complete(phase);
    } catch (error) {
      this.error(error as Error);
    }
  }

  private request({ metadata, login, keep }: AuthorizationRequest): void {
    this.addressProvider(metadata);
    const challenge = { code_challenge: codeChallenge(login.codeVerifier), code_challenge_method: 'S256' };
    // OpenID Connect Core §3.1.2.1: the provider asks the user again, even if the user has a session there.
    const again: Record<string, string> = login.intent.isStepUp ? { prompt: 'login', max_age: '0' } : {};
    this.authorizationParams = () => ({ ...challenge, ...again });
    // Passport would write to the raw response, past cookies and headers: the address is handed up instead.
    this.redirect = (address) => this.success(address);
    this._stateStore = {
      ...NO_STORE,
      store: (_request, context: Context, _appState, _meta, done) => {
        keep(context.nonce ?? '')
          .then((state) => done(null, state))
          .catch((error: Error) => this.error(error));
      },
    };
    super.authenticate({ query: {} } as Request);
  }

  private complete({ metadata, nonce, idToken, issuer, profile }: AuthorizationCallback): void {
    this.addressProvider(metadata);
    this._issuer = issuer;
    this._oauth2.getOAuthAccessToken = (_code, _params, done) => {
      done(null, undefined, undefined, { id_token: idToken, profile });
    };
    this._stateStore = { ...NO_STORE, verify: (_request, _state, done) => done(null, { nonce }) };
    super.authenticate({ query: { code: 'exchanged', state: 'taken' } } as unknown as Request);
  }

  private addressProvider({ authorizationEndpoint, tokenEndpoint }: OidcMetadata): void {
    this._oauth2 = {
      _clientId: this._oauth2._clientId,
      _authorizeUrl: authorizationEndpoint,
      _accessTokenUrl: tokenEndpoint,
      getOAuthAccessToken: (_code, _params, done) => done(new Error('nothing was exchanged')),
    };
  }
}

/** No request uses the strategy's own store; each brings what it needs. */
const NO_STORE: StateStore = {
  store: (_request, _context, _appState, _meta, done) => done(new Error('there is no store')),
  verify: (_request, _state, done) => done(new Error('there is no store')),
};

/** The strategy of one provider, registered with passport under a name of its own. */
export class OidcStrategy extends PassportStrategy(HardenedOpenIdConnect, undefined, true) {
  /** Returns the profile; called by the library once it has no objection: the person was read from checked claims before. */
  validate(
    _issuer: string,
    _profile: unknown,
    _context: unknown,
    _idToken: string,
    _accessToken: unknown,
    _refreshToken: unknown,
    answer: { readonly profile: ProviderProfile },
  ): ProviderProfile {
    return answer.profile;
  }
}

/**
 * Runs a registered strategy for one login and answers what it succeeded with. The HTTP request is not handed on: all that
 * the strategy may know stands in its options.
 *
 * @throws AppError `provider_failed` if the strategy refuses.
 */
export function runStrategy<T>(name: string, options: OidcStrategyOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, answer: T | false | undefined, refusal: unknown): void => {
      if (error !== null && error !== undefined) reject(error);
      else if (answer === false || answer === undefined) reject(providerFailed(`refused: ${messageOf(refusal)}`));
      else resolve(answer);
    };
    const run = passport.authenticate(name, options as object, settle) as (
      request: object,
      response: object,
      next: (error: unknown) => void,
    ) => void;
    run({}, {}, reject);
  });
}

/** Returns the library's words; they hold nothing of the provider's. */
function messageOf(refusal: unknown): string {
  const { message } = (refusal ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason given';
}
