import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** Employee in the directory. */
export interface Employee {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly given_name: string;
  readonly family_name: string;
  readonly department?: string;
}

/** Client credentials of Lintel at the directory. */
export const CLIENT = { client_id: 'acme-wholesale', client_secret: 'a secret of the directory' };

/** The used parts of a grant request of oidc-provider. */
interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<void> };
    };
  };
}

/** Acme's staff directory: a real OpenID Connect provider on loopback that does not ask for passwords. */
export class StaffDirectory {
  /** Signed-in employee. */
  atWork: Employee | null = null;
  private readonly server: Server;
  private provider: Provider | null = null;

  private constructor() {
    this.server = createServer((request, response) => this.answer(request, response));
  }

  /** @param redirectUri the allowed redirect URI */
  static async start(redirectUri: string): Promise<StaffDirectory> {
    const directory = new StaffDirectory();
    await new Promise<void>((resolve) => directory.server.listen(0, '127.0.0.1', resolve));
    directory.provider = new Provider(directory.url, directory.configuration(redirectUri));
    return directory;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { provider, atWork } = this;
    if (provider === null) return void response.writeHead(503).end();
    if (request.url?.startsWith('/interaction/') !== true) return provider.callback()(request, response);
    const result = atWork === null ? { error: 'access_denied' } : { login: { accountId: atWork.sub } };
    void provider.interactionFinished(request, response, result);
  }

  private configuration(redirectUri: string): object {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    return {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'first' }] },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['given_name', 'family_name', 'department'],
      },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, accountId: string) => ({ accountId, claims: () => this.atWork ?? {} }),
      loadExistingGrant: consent,
    };
  }
}

/** Grants without consent, because employees are not asked for it. */
async function consent({ oidc }: GrantContext): Promise<object> {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}
