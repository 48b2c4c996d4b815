import { hash } from 'node:crypto';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { isApiKey, hasKeyPrefix } from './api-key-text.js';
import { GuardDefinitionError } from './guard-definition.errors.js';
import { GuardRefusal } from './guard-refusal.errors.js';
import type { LintelGuardOptions, RemoteAccount, RoutePatterns } from './guard.types.js';
import { RecentAnswers } from './recent-answers.js';

export const GUARD_OPTIONS = Symbol('GUARD_OPTIONS');

const TIMEOUT_MS = 3_000;
/** Time in milliseconds to cache a result of the issuer, and to wait after a failed call. */
const BELIEVED_MS = 1_000;
const MAX_TOKENS = 20_000;
const MAX_TOKEN_LENGTH = 8_192;
/** Keys are reloaded after this time, and for an unknown key id: at most once a second. */
const JWKS = { cacheMaxAge: 300_000, cooldownDuration: 1_000 };
/** Clocks may differ. The clock of the issuer decides whether a token has expired. */
const SKEW_SECONDS = 60;

const INACTIVE = Symbol('INACTIVE');

/**
 * The issuer of the accepted tokens. Signatures are verified locally, with its public keys. The state of the session and the permissions
 * are requested from the issuer, at most once a second for each token.
 */
@Injectable()
export class TokenIssuer implements OnApplicationBootstrap {
  private readonly logger = new Logger('LintelGuard');
  private readonly issuer: string;
  private readonly url: URL;
  private readonly timeoutMs: number;
  private readonly publicKeys: ReturnType<typeof createRemoteJWKSet>;
  private readonly answers = new RecentAnswers<RemoteAccount | typeof INACTIVE>(BELIEVED_MS, MAX_TOKENS);
  private awayUntil = 0;

  /** @throws GuardDefinitionError for an invalid issuer, URL or key. */
  constructor(@Inject(GUARD_OPTIONS) private readonly options: LintelGuardOptions) {
    const { issuer, url = issuer, key, timeoutMs = TIMEOUT_MS } = options;
    addressOf(issuer, 'issuer');
    this.url = addressOf(url, 'url');
    this.issuer = issuer.replace(/\/+$/, '');
    if (key !== undefined && !isApiKey(key))
      throw new GuardDefinitionError(
        'The key of LintelGuardModule is not an API key. Create one with the permission tokens.introspect.',
      );
    this.timeoutMs = timeoutMs;
    this.publicKeys = createRemoteJWKSet(this.at('.well-known/jwks.json'), { ...JWKS, timeoutDuration: timeoutMs });
  }

  /** Logs problems that would reject every token. The issuer may still be starting. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      const answer = await this.fetch('.well-known/jwks.json', { method: 'GET' });
      const { keys } = (await answer.json()) as { readonly keys?: readonly unknown[] };
      if (!answer.ok || keys?.length === 0)
        this.logger.error(`${this.url.href} publishes no keys: set AUTH_TOKEN_ALG=EdDSA there.`);
    } catch {
      this.logger.warn(`${this.url.href} does not respond yet.`);
    }
  }

  /**
   * Returns the account of a token.
   *
   * @throws GuardRefusal `token_invalid`, `token_expired`, `key_invalid`; `issuer_unavailable` if the token cannot be checked.
   */
  async accountOf(token: string): Promise<RemoteAccount> {
    const isKey = hasKeyPrefix(token);
    const refusal = isKey ? 'key_invalid' : 'token_invalid';
    if (token.length > MAX_TOKEN_LENGTH || (isKey && !isApiKey(token))) throw new GuardRefusal(refusal);
    const account = await this.answers.get(hash('sha256', token), () => this.requestIntrospection(token));
    if (account === INACTIVE) throw new GuardRefusal(refusal);
    return account;
  }

  /** Asks the issuer, after verifying the signature locally. */
  private async requestIntrospection(token: string): Promise<RemoteAccount | typeof INACTIVE> {
    if (!hasKeyPrefix(token)) await this.assertSigned(token);
    if (performance.now() < this.awayUntil) throw new GuardRefusal('issuer_unavailable');
    const answer = await this.introspect(token);
    // A token that authenticates its own introspection and is rejected is invalid.
    if (answer.status === 401 && this.options.key === undefined) return INACTIVE;
    if (!answer.ok) throw this.unavailable(`${this.url.href} rejected the token introspection: ${answer.status}.`);
    const read = readIntrospection(await answer.json().catch(() => null), this.issuer);
    if (read === null) throw this.unavailable(`${this.url.href} returned an invalid introspection response.`);
    return read === 'inactive' ? INACTIVE : read;
  }

  private async introspect(token: string): Promise<Response> {
    const headers = { authorization: `Bearer ${this.options.key ?? token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ token });
    return this.fetch('api/auth/introspect', { method: 'POST', headers, body }).catch((cause: unknown) => {
      throw this.unavailable(`${this.url.href} cannot be reached.`, cause);
    });
  }

  private async assertSigned(token: string): Promise<void> {
    const { issuer } = this;
    const checks = { algorithms: ['EdDSA'], typ: 'at+jwt', issuer, audience: issuer, clockTolerance: SKEW_SECONDS };
    try {
      await jwtVerify(token, this.publicKeys, { ...checks, requiredClaims: ['exp', 'sub', 'sid'] });
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** Distinguishes an invalid token from keys that cannot be loaded. */
  private refusalOf(error: unknown): GuardRefusal {
    if (error instanceof errors.JWTExpired) return new GuardRefusal('token_expired');
    const isOfToken =
      error instanceof errors.JOSEError &&
      !(error instanceof errors.JWKSTimeout) &&
      !(error instanceof errors.JWKSInvalid) &&
      error.code !== 'ERR_JOSE_GENERIC';
    return isOfToken ? new GuardRefusal('token_invalid') : this.unavailable(`${this.url.href} returns no keys.`, error);
  }

  /** Returns the error of an unavailable issuer, and suspends calls to it for a moment. */
  private unavailable(message: string, cause?: unknown): GuardRefusal {
    if (performance.now() >= this.awayUntil) this.logger.error(message);
    this.awayUntil = performance.now() + BELIEVED_MS;
    return new GuardRefusal('issuer_unavailable', cause);
  }

  /** Redirects are errors, because they would send the token to another server. */
  private fetch(path: string, request: RequestInit): Promise<Response> {
    return fetch(this.at(path), { ...request, redirect: 'error', signal: AbortSignal.timeout(this.timeoutMs) });
  }

  private at(path: string): URL {
    return new URL(path, `${this.url.href.replace(/\/+$/, '')}/`);
  }
}

function addressOf(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return url;
  throw new GuardDefinitionError(
    `The ${name} of LintelGuardModule is not an address. Use a form such as https://lintel.example.com.`,
  );
}

function readIntrospection(answer: unknown, issuer: string): RemoteAccount | 'inactive' | null {
  if (!isObject(answer)) return null;
  const { active, iss, sub, sid, email, roles, permissions, token_type: type, signed_in: signedIn, claims } = answer;
  if (active === false) return 'inactive';
  if (active !== true || iss !== issuer || !isUuid(sub) || !isUuid(sid) || typeof email !== 'string') return null;
  if (!isTexts(roles) || !isPatterns(permissions) || (claims !== undefined && !isObject(claims))) return null;
  return Object.freeze({
    kind: 'account',
    userId: sub,
    sessionId: sid,
    email,
    roles,
    byKey: type === 'api_key',
    isSignedIn: signedIn === true,
    permissions,
    ...(claims === undefined ? {} : { claims: Object.freeze(claims) }),
  });
}

function isPatterns(value: unknown): value is RoutePatterns {
  return isObject(value) && isTexts(value['allow']) && isTexts(value['deny']);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
