import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import type { Provider } from 'oidc-provider';
import { CLIENT } from './hostile-provider.js';

export interface ProviderPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string; grantIdFor(clientId: string): string | undefined };
    readonly provider: {
      readonly Grant: (new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<void> }) & {
        find(id: string): Promise<object>;
      };
    };
  };
}

/** Shared by all providers. */
let key: Promise<JWK> | undefined;

/** A real OpenID Connect provider on loopback. Its sign-in page immediately signs in the user in `signsIn`. */
export class TestOidcProvider {
  /** The next user to sign in; null rejects the sign-in. */
  signsIn: ProviderPerson | null = null;
  private readonly people = new Map<string, ProviderPerson>();
  private server: Server = createServer();
  private port = 0;
  private provider: Provider | null = null;

  /** @param redirectUris the allowed redirect URIs. */
  constructor(private readonly redirectUris: readonly string[]) {}

  /** The issuer, which is also the origin. */
  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts listening. After {@link stop}, the port stays the same. */
  async start(): Promise<void> {
    this.server = createServer((request, response) => this.answer(request, response));
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.server.address() as AddressInfo).port;
    this.provider ??= await this.create();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  settings(extra: object = {}): object {
    return { client_id: CLIENT.id, client_secret: CLIENT.secret, issuer: this.issuer, ...extra };
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { provider } = this;
    if (provider === null) return void response.writeHead(503).end();
    if (request.url?.startsWith('/interaction/') !== true) return provider.callback()(request, response);
    const person = this.signsIn;
    if (person !== null) this.people.set(person.sub, person);
    const result = person === null ? { error: 'access_denied' } : { login: { accountId: person.sub } };
    void provider.interactionFinished(request, response, result);
  }

  private async create(): Promise<Provider> {
    // It warns on the console that some defaults are for development only.
    const spies = (['info', 'warn'] as const).map((name) =>
      jest.spyOn(console, name).mockImplementation(() => undefined),
    );
    const { Provider: RealProvider } = await import('oidc-provider');
    const provider = new RealProvider(this.issuer, await this.configuration());
    spies.forEach((spy) => spy.mockRestore());
    return provider;
  }

  private async configuration(): Promise<object> {
    key ??= exportJWK((await generateKeyPair('RS256', { extractable: true })).privateKey);
    return {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [...this.redirectUris] }],
      jwks: { keys: [{ ...(await key), alg: 'RS256', use: 'sig', kid: 'first' }] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false } },
      pkce: { required: () => true },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, id: string) => ({
        accountId: id,
        claims: () => this.people.get(id) ?? { sub: id },
      }),
      loadExistingGrant: grantEverything,
    };
  }
}

async function grantEverything({ oidc }: GrantContext): Promise<object> {
  const { clientId } = oidc.client;
  const grantId = oidc.session.grantIdFor(clientId);
  if (grantId !== undefined) return oidc.provider.Grant.find(grantId);
  const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}
