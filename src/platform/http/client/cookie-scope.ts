import type { Config } from '../../config/config.types.js';

export interface CookieScope {
  readonly secure: boolean;
  readonly path: string;
  /**
   * Returns the full name of a cookie.
   *
   * - Over https it has a prefix: no sibling host can plant a `__Host-` cookie. Browsers require `Path=/` for it, so with a base path it
   *   is `__Secure-` (RFC 6265bis §4.1.3).
   * - Over http on loopback it ends with the port: browsers do not separate cookies by port, and instances for development share a host.
   */
  nameOf(name: string): string;
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
  return { secure, path: basePath === '' ? '/' : basePath, nameOf: (name) => `${prefix}${name}${suffix}` };
}
