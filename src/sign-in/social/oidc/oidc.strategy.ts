import type { Request } from 'express';
import { Strategy } from 'passport-openidconnect';
import type { Context, StateStore } from 'passport-openidconnect';
import { codeChallenge } from '../../../kernel/keys/pkce.js';
import type { OpenedLogin, ProviderProfile } from '../providers/provider.types.js';
import type { OidcMetadata, OidcSettings } from './oidc-discovery.js';
import { providerFailed } from '../providers/provider-failure.js';

/** Starts a login. `storeLogin` stores it with its nonce and returns its `state`. */
export interface AuthorizationRequest {
  readonly kind: 'request';
  readonly metadata: OidcMetadata;
  readonly login: OpenedLogin;
  readonly storeLogin: (nonce: string) => Promise<string>;
}

/** A login that returned. State, issuer, tokens and claims are already checked. */
export interface AuthorizationCallback {
  readonly kind: 'callback';
  readonly metadata: OidcMetadata;
  readonly nonce: string;
  readonly idToken: string;
  readonly issuer: string;
  readonly profile: ProviderProfile;
}

/**
 * passport-openidconnect, hardened. The library builds the authorization request and does a last check of the ID token, without any network
 * access. Before that, this project does everything that the library lacks (PKCE, discovery, signatures, limits) or does unsafely (reading
 * queries, fetching, redirecting past the framework). The results are passed to the library for this one request. Each
 * request runs on a clone of the strategy, so values set on `this` are local to the request.
 */
export class OidcStrategy extends Strategy {
  constructor(settings: OidcSettings) {
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
      readProfile,
    );
  }

  override authenticate(_request: Request, phase: AuthorizationRequest | AuthorizationCallback): void {
    try {
      if (phase.kind === 'request') this.request(phase);
      else this.complete(phase);
    } catch (error) {
      this.error(error as Error);
    }
  }

  private request({ metadata, login, storeLogin }: AuthorizationRequest): void {
    this.addressProvider(metadata);
    const challenge = { code_challenge: codeChallenge(login.codeVerifier), code_challenge_method: 'S256' };
    // OpenID Connect Core §3.1.2.1: the provider must authenticate the user again, even if the user has a session there.
    const again: Record<string, string> = login.intent.isStepUp ? { prompt: 'login', max_age: '0' } : {};
    this.authorizationParams = () => ({ ...challenge, ...again });
    // Passport would write to the raw response and skip cookies and headers. Return the URL to the caller instead.
    this.redirect = (address) => this.success(address);
    this._stateStore = {
      ...NO_STORE,
      store: (_request, context: Context, _appState, _meta, done) => {
        storeLogin(context.nonce ?? '')
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

/** The strategy's store is never used. Each request sets its own. */
const NO_STORE: StateStore = {
  store: (_request, _context, _appState, _meta, done) => done(new Error('there is no store')),
  verify: (_request, _state, done) => done(new Error('there is no store')),
};

/** The library calls this after its last check, with all parameters. The profile was read from checked claims before. */
function readProfile(
  _issuer: string,
  _profile: unknown,
  _context: unknown,
  _idToken: string,
  _accessToken: unknown,
  _refreshToken: unknown,
  answer: { readonly profile: ProviderProfile },
  done: (error: null, profile: ProviderProfile) => void,
): void {
  done(null, answer.profile);
}

/**
 * Runs a strategy for one login and returns its result. The strategy gets no HTTP request, only its options.
 *
 * @throws AppError `provider_failed` if the strategy refuses.
 */
export function runStrategy<T>(
  strategy: OidcStrategy,
  phase: AuthorizationRequest | AuthorizationCallback,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const outcomes = {
      success: resolve,
      fail: (refusal: unknown) => reject(providerFailed(`refused: ${messageOf(refusal)}`)),
      error: reject,
    };
    (Object.assign(Object.create(strategy), outcomes) as OidcStrategy).authenticate({} as Request, phase);
  });
}

/** Returns the library's message. It contains no data of the provider. */
function messageOf(refusal: unknown): string {
  const { message } = (refusal ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason given';
}
