import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';

const CLIENT = { client_id: 'lintel', client_secret: 'a secret of the provider' };

/** A real OpenID Connect provider on loopback, with a page for signing in or cancelling. */
export class IdentityProvider {
  person;
  /** How all routes respond: correctly, with garbage, or only after 30 seconds. */
  mode = 'right';
  /** How the token endpoint responds: correctly, with garbage, or by closing the connection. */
  tokenMode = 'right';
  /** The `Referer` of every received request. */
  referers = [];
  #people = new Map();
  #met = 0;
  #provider;
  #server = createServer((request, response) => this.#answer(request, response));
  #onSecret;

  /** @param {(secret: string) => void} onSecret receives every code, verifier and token. */
  constructor(onSecret) {
    this.#onSecret = onSecret;
  }

  /** Starts listening. `redirectUris` may be set later, before the first login. */
  async open() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get issuer() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  get settings() {
    return { ...CLIENT, issuer: this.issuer };
  }

  /** Creates a new user for the next sign-in and returns the claims. */
  meet(claims = {}) {
    const sub = `ada-${(this.#met += 1)}`;
    this.person = { sub, email: `${sub}@provider.example`, email_verified: true, given_name: 'Ada', ...claims };
    return this.person;
  }

  /** Creates the provider for these redirect URIs. */
  async serve(redirectUris) {
    // It warns on the console that some defaults are for development only.
    const { info, warn } = console;
    console.info = console.warn = () => undefined;
    const { Provider } = await import('oidc-provider');
    this.#provider = new Provider(this.issuer, await this.#configuration(redirectUris));
    Object.assign(console, { info, warn });
    this.#provider.on('grant.success', ({ oidc, body }) => {
      [oidc.params.code, oidc.params.code_verifier, body.access_token, body.id_token].forEach(this.#onSecret);
    });
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request, response) {
    if (request.headers.referer !== undefined) this.referers.push(request.headers.referer);
    if (this.mode === 'slow') return void setTimeout(() => response.end('{}'), 30_000).unref();
    if (this.mode === 'garbage') return void response.end('<html>{"issuer": null');
    if (request.url?.startsWith('/token') === true && this.tokenMode !== 'right') {
      return void (this.tokenMode === 'garbage' ? response.end('<html>') : request.socket.destroy());
    }
    const uid = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    if (uid === undefined) return void this.#provider.callback()(request, response);
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      return void response.end(page(this.person));
    }
    let form = '';
    request.on('data', (chunk) => (form += chunk));
    request.on('end', () => {
      this.#people.set(this.person.sub, this.person);
      const cancelled = new URLSearchParams(form).get('do') === 'cancel';
      const result = cancelled ? { error: 'access_denied' } : { login: { accountId: this.person.sub } };
      void this.#provider.interactionFinished(request, response, result);
    });
  }

  async #configuration(redirectUris) {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    return {
      clients: [{ ...CLIENT, redirect_uris: redirectUris }],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' }] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, accountId) => ({ accountId, claims: () => this.#people.get(accountId) }),
      loadExistingGrant: grantEverything,
    };
  }
}

async function grantEverything({ oidc }) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

function page({ given_name: name }) {
  return `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1><form method="post">
    <button name="do" value="go">Continue as ${name}</button> <button name="do" value="cancel">Cancel</button></form></html>`;
}
