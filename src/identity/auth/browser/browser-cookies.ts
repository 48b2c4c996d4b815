import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CookieScope } from '../../../platform/http/http.public.js';

/** Cookies that a browser is given to stay signed in. */
export interface BrowserCredentials {
  /** With refresh tokens; otherwise the access token is what stays. */
  readonly refreshToken: string | null;
  readonly accessToken: string;
  readonly sessionId: string;
  readonly lifetimeSeconds: number;
}

/** Cookies that a browser sent, each null if it sent none, or several that nobody can tell apart. */
export interface SentCookies {
  readonly refreshToken: string | null;
  readonly accessToken: string | null;
}

/** @internal */
const MAX_LENGTH = 4_096;

/**
 * The cookies by which our own pages stay signed in: a refresh token, or the access token where refresh tokens are off. No
 * script reads them, and no page of another site sends them along with a post (RFC 6265bis §4.1.2).
 *
 * Over https their names are tied to this very host, so that no sibling host can plant one. The access token has a name of its
 * own (specification, "Bearer tokens"), so a cookie that is tied to the host says which session is ours.
 */
export class BrowserCookies {
  private readonly refreshName: string;
  private readonly sessionName: string;

  constructor(private readonly scope: CookieScope) {
    this.refreshName = scope.nameOf('refresh_token');
    this.sessionName = scope.nameOf('session');
  }

  /** Returns what the request carries. */
  read(request: FastifyRequest): SentCookies {
    return { refreshToken: only(request, this.refreshName), accessToken: only(request, 'token') };
  }

  /** Returns whether the access token of this session was given to this browser by us, and not planted by a sibling host. */
  isOurs(request: FastifyRequest, sessionId: string): boolean {
    return !this.scope.secure || only(request, this.sessionName) === sessionId;
  }

  /** Gives a browser what it stays signed in with, and takes what it had. */
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

  /** Takes from a browser what it has of these, or of all. */
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

/** Returns the value of a cookie that was sent once: two of a name come from two places, and one of them is not ours. */
function only(request: FastifyRequest, name: string): string | null {
  const sent = (request.headers.cookie ?? '').split(';').filter((pair) => pair.split('=', 1)[0]?.trim() === name);
  const value = request.cookies[name];
  return sent.length === 1 && value !== undefined && value !== '' && value.length <= MAX_LENGTH ? value : null;
}
