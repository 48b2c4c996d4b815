import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Member of the forum, as its API returns it. */
export interface Member {
  readonly member: number;
  readonly mail: string;
  readonly mail_confirmed: boolean;
  readonly name: string;
}

/** Client credentials of Lintel at the forum. */
export const FORUM_CLIENT = { client_id: 'acme-wholesale', client_secret: 'a secret of the forum' };

/** Grant of a code that has not been used. */
interface Grant {
  readonly member: Member;
  readonly redirectUri: string;
  readonly challenge: string;
}

/** A forum with OAuth 2 (RFC 6749, RFC 7636) and without OpenID Connect. Codes are valid once, and access tokens for its API. */
export class TradeForum {
  /** Signed-in member. */
  present: Member | null = null;
  private readonly codes = new Map<string, Grant>();
  private readonly tokens = new Map<string, Member>();
  private readonly server: Server;

  private constructor(private readonly redirectUri: string) {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  /** @param redirectUri the only allowed redirect URI */
  static async start(redirectUri: string): Promise<TradeForum> {
    const forum = new TradeForum(redirectUri);
    await new Promise<void>((resolve) => forum.server.listen(0, '127.0.0.1', resolve));
    return forum;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    if (pathname === '/oauth/authorize') return this.authorize(searchParams, response);
    if (pathname === '/oauth/token') return this.exchange(request, new URLSearchParams(await text(request)), response);
    const member = this.tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (pathname !== '/api/me' || member === undefined) return reply(response, 401, { error: 'invalid_token' });
    reply(response, 200, member);
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): void {
    const redirectUri = asked.get('redirect_uri') ?? '';
    const challenge = asked.get('code_challenge') ?? '';
    const isKnown = asked.get('client_id') === FORUM_CLIENT.client_id && redirectUri === this.redirectUri;
    if (!isKnown || asked.get('code_challenge_method') !== 'S256') return reply(response, 400, {});
    const back = new URL(redirectUri);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (this.present === null) {
      back.searchParams.set('error', 'access_denied');
    } else {
      const code = randomBytes(24).toString('base64url');
      this.codes.set(code, { member: this.present, redirectUri, challenge });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  private exchange(request: IncomingMessage, asked: URLSearchParams, response: ServerResponse): void {
    const { client_id: id, client_secret: secret } = FORUM_CLIENT;
    if (basicOf(request) !== `${id}:${secret}`) return reply(response, 401, { error: 'invalid_client' });
    const code = asked.get('code') ?? '';
    const grant = this.codes.get(code);
    this.codes.delete(code);
    const challenge = createHash('sha256')
      .update(asked.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== asked.get('redirect_uri'))
      return reply(response, 400, { error: 'invalid_grant' });
    const token = randomBytes(24).toString('base64url');
    this.tokens.set(token, grant.member);
    reply(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 600 });
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Parses HTTP Basic credentials. Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). */
function basicOf({ headers }: IncomingMessage): string {
  const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  return decodeURIComponent(Buffer.from(encoded, 'base64').toString().replaceAll('+', ' '));
}
