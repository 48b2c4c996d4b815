/** The parts of passport-openidconnect 0.1.2 that the hardened subclass uses. The package ships no types. */
declare module 'passport-openidconnect' {
  import type { Request } from 'express';
  import { Strategy as PassportStrategy } from 'passport-strategy';

  namespace OpenIdConnect {
    type Done = (error: unknown, value?: unknown, state?: unknown) => void;

    interface StrategyOptions {
      issuer: string;
      authorizationURL: string;
      tokenURL: string;
      clientID: string;
      clientSecret: string;
      callbackURL: string;
      scope: string;
      responseMode?: string;
      nonce: true;
      skipUserProfile: true;
      store: StateStore;
    }

    interface Context {
      nonce?: string;
    }

    interface StateStore {
      store(request: unknown, context: Context, appState: unknown, meta: unknown, done: Done): void;
      verify(request: unknown, state: string, done: Done): void;
    }

    interface OAuth2Client {
      _clientId: string;
      _authorizeUrl: string;
      _accessTokenUrl: string;
      getOAuthAccessToken(
        code: string,
        params: unknown,
        done: (error: unknown, accessToken?: string, refreshToken?: string, answer?: unknown) => void,
      ): void;
    }

    class Strategy extends PassportStrategy {
      constructor(options: StrategyOptions, verify: (...parameters: never[]) => void);
      protected _issuer: string;
      protected _oauth2: OAuth2Client;
      protected _stateStore: StateStore;
      override authenticate(request: Request, options?: unknown): void;
      authorizationParams(options: unknown): Record<string, string>;
    }
  }

  export = OpenIdConnect;
}
