import type { FastifyReply } from 'fastify';
import type { Config } from '../../config/config.types.js';

export interface CookieScope {
  readonly secure: boolean;
  /**
   * Returns the full name of a cookie.
   *
   * - Over https it has a prefix: no sibling host can plant a `__Host-` cookie. Browsers require `Path=/` for it, so with a base path it
   *   is `__Secure-` (RFC 6265bis §4.1.3).
   * - Over http on loopback it ends with the port: browsers do not separate cookies by port, and instances for development share a host.
   */
  nameOf(name: string): string;
  /**
   * Sets a cookie by its full name. Scripts cannot read it. Browsers send it with links from other sites, such as the redirect back from a
   * provider, but not with their forms (RFC 6265bis §4.1.2).
   */
  set(reply: FastifyReply, fullName: string, value: string, maxAgeSeconds: number): void;
}

const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

declare module 'fastify' {
  interface FastifyInstance {
    readonly cookieScope: CookieScope;
  }
}

export function cookieScope({ appUrl, basePath }: Pick<Config, 'appUrl' | 'basePath'>): CookieScope {
  const { protocol, hostname, port } = new URL(appUrl);
  const secure = protocol === 'https:';
  const prefix = !secure ? '' : basePath === '' ? '__Host-' : '__Secure-';
  const suffix = !secure && port !== '' && LOOPBACK.test(hostname) ? `_${port}` : '';
  const options = { path: basePath === '' ? '/' : basePath, httpOnly: true, sameSite: 'lax', secure } as const;
  return {
    secure,
    nameOf: (name) => `${prefix}${name}${suffix}`,
    set: (reply, fullName, value, maxAge) => void reply.setCookie(fullName, value, { ...options, maxAge }),
  };
}
