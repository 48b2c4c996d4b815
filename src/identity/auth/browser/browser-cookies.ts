import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieScope } from '../../../platform/http/http.public.js';

export interface BrowserCredentials {
  /** Null if refresh tokens are disabled. The access token is stored instead. */
  readonly refreshToken: string | null;
  readonly accessToken: string;
  readonly sessionId: string;
  readonly lifetimeSeconds: number;
}

/** Null for a cookie that is missing, or was sent more than once. */
export interface SentCookies {
  readonly refreshToken: string | null;
  readonly accessToken: string | null;
}

/** @internal */
const MAX_LENGTH = 4_096;

/**
 * Cookies that keep our own pages signed in: a refresh token, or the access token if refresh tokens are disabled. Scripts cannot read them,
 * and pages of other sites do not send them with a POST (RFC 6265bis §4.1.2).
 *
 * Over https their names are bound to this host, so that no sibling host can plant one. The name of the access token cookie is fixed
 * (specification, "Bearer tokens"), so another cookie that is bound to the host identifies our session.
 */
export class BrowserCookies {
  private readonly refreshName: string;
  private readonly sessionName: string;

  constructor(private readonly scope: CookieScope) {
    this.refreshName = scope.nameOf('refresh_token');
    this.sessionName = scope.nameOf('session');
  }

  read(request: FastifyRequest): SentCookies {
    return { refreshToken: only(request, this.refreshName), accessToken: only(request, 'token') };
  }

  /** Returns whether this server set the access token of this session, and not a sibling host. */
  isOurs(request: FastifyRequest, sessionId: string): boolean {
    return !this.scope.secure || only(request, this.sessionName) === sessionId;
  }

  /** Sets the cookies of a session, and deletes those that it does not use. */
  give(request: FastifyRequest, reply: FastifyReply, credentials: BrowserCredentials): void {
    const { refreshToken, accessToken, sessionId, lifetimeSeconds } = credentials;
    if (refreshToken !== null) {
      this.take(request, reply, ['token', this.sessionName]);
      this.set(reply, this.refreshName, refreshToken, lifetimeSeconds);
      return;
    }
    this.take(request, reply, [this.refreshName]);
    this.set(reply, 'token', accessToken, lifetimeSeconds);
    if (this.scope.secure) this.set(reply, this.sessionName, sessionId, lifetimeSeconds);
  }

  take(
    request: FastifyRequest,
    reply: FastifyReply,
    names: readonly string[] = [this.refreshName, 'token', this.sessionName],
  ): void {
    for (const name of names) {
      if (request.cookies[name] !== undefined) this.set(reply, name, '', 0);
    }
  }

  private set(reply: FastifyReply, name: string, value: string, maxAge: number): void {
    const { path, secure } = this.scope;
    void reply.setCookie(name, value, { path, httpOnly: true, sameSite: 'lax', secure, maxAge });
  }
}

/** Returns the value of a cookie that was sent once. If there are two with one name, one of them is not ours. */
function only(request: FastifyRequest, name: string): string | null {
  const sent = (request.headers.cookie ?? '').split(';').filter((pair) => pair.split('=', 1)[0]?.trim() === name);
  const value = request.cookies[name];
  return sent.length === 1 && value !== undefined && value !== '' && value.length <= MAX_LENGTH ? value : null;
}
