import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, type JWTPayload, SignJWT } from 'jose';

export const CLIENT = { id: 'lintel-tests', secret: 'a client secret of the tests' } as const;

/** Response of a path: JSON, text, or a custom handler. */
export type Behaviour = object | string | null | ((request: IncomingMessage, response: ServerResponse) => void);

export interface SeenTokenRequest {
  readonly form: URLSearchParams;
  readonly authorization: string | undefined;
}

/** Shared by all providers: generating a key takes 0.25 s. */
const KEY = newKey();

/**
 * A scripted provider on loopback. By default it behaves correctly; `reset` restores that. Each code works once and only with its PKCE
 * verifier.
 */
export class HostileProvider {
  /** Replaces the response of a path below the issuer, such as `/token`. */
  readonly script = new Map<string, Behaviour>();
  /** Overrides of the ID token claims; undefined removes a claim. */
  claims: Record<string, unknown> = {};
  forge: ((claims: JWTPayload) => unknown) | null = null;
  /** Additional parameters of the browser redirect, besides `code` and `state`. */
  answer: Record<string, string> = {};
  /** Userinfo claims besides the subject; null disables the endpoint. */
  userinfo: Record<string, unknown> | null = {};
  discovery: Record<string, unknown> = {};
  /** The provider's clock, in milliseconds since the epoch. Tests that change the application's clock pass that one. */
  nowMs: () => number = Date.now;
  readonly seen: SeenTokenRequest[] = [];
  readonly privateKey = KEY;
  private readonly codes = new Map<string, { challenge: string; nonce: string }>();
  private server: Server = createServer();
  private port = 0;

  /** @param path of the issuer, such as `/common/v2.0`. */
  constructor(private readonly path = '') {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get issuer(): string {
    return `${this.origin}${this.path}`;
  }

  /** Starts listening. After {@link stop}, the port stays the same. */
  async start(): Promise<void> {
    this.server = createServer((request, response) => void this.handle(request, response));
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  reset(): void {
    this.script.clear();
    this.claims = {};
    this.forge = null;
    this.answer = {};
    this.userinfo = {};
    this.discovery = {};
    this.seen.length = 0;
  }

  settings(extra: object = {}): object {
    return { client_id: CLIENT.id, client_secret: CLIENT.secret, issuer: this.issuer, timeout_seconds: 2, ...extra };
  }

  sign(claims: JWTPayload, header: object = {}, key: KeyObject = this.privateKey): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'first', ...header }).sign(key);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const path = url.pathname.slice(this.path.length);
    const scripted = this.script.get(path);
    if (typeof scripted === 'function') return scripted(request, response);
    if (scripted !== undefined) return json(response, scripted);
    if (path.endsWith('authorize')) return this.authorize(url.searchParams, response);
    if (path.endsWith('token')) return this.exchange(request, response);
    if (path === '/jwks') return json(response, await this.jwks());
    if (path === '/userinfo') return json(response, { sub: 'person', ...this.userinfo });
    if (path === '/.well-known/openid-configuration') return json(response, this.document());
    response.writeHead(404).end();
  }

  private document(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      ...(this.userinfo === null ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
      ...this.discovery,
    };
  }

  private async jwks(): Promise<object> {
    const { kty, n, e } = await exportJWK(this.privateKey);
    return { keys: [{ kty, n, e, kid: 'first', use: 'sig' }] };
  }

  private authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomBytes(16).toString('hex');
    this.codes.set(code, { challenge: query.get('code_challenge') ?? '', nonce: query.get('nonce') ?? '' });
    const address = new URL(query.get('redirect_uri') ?? '');
    const parameters = new URLSearchParams({ state: query.get('state') ?? '', ...this.answer });
    if (!('error' in this.answer)) parameters.set('code', code);
    address.search = parameters.toString();
    response.writeHead(302, { location: address.href }).end();
  }

  private async exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    this.seen.push({ form, authorization: request.headers.authorization });
    const code = form.get('code') ?? '';
    const issued = this.codes.get(code);
    this.codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (issued?.challenge !== challenge) return json(response, { error: 'invalid_grant' }, 400);
    const now = Math.floor(this.nowMs() / 1_000);
    const honest = { iss: this.issuer, sub: 'person', aud: CLIENT.id, iat: now, exp: now + 300, nonce: issued.nonce };
    const claims = { email: 'person@example.com', email_verified: true, ...honest, ...this.claims } as JWTPayload;
    const token = await (this.forge === null ? this.sign(claims) : this.forge(claims));
    json(response, { access_token: 'an-access-token', token_type: 'Bearer', id_token: token });
  }
}

export function newKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
}

/** Sends a value as JSON; a string is sent unchanged. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
