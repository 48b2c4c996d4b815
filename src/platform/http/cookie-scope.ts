import type { Config } from '../config/config.types.js';

/** How the cookies of the service are bound to it. */
export interface CookieScope {
  /** Whether the service is reached over https. */
  readonly secure: boolean;
  readonly path: string;
  /**
   * Prefix of cookie names over https: no sibling host can plant a `__Host-` cookie. Browsers require `Path=/` for it, so with a base
   * path it is `__Secure-` (RFC 6265bis §4.1.3).
   */
  readonly prefix: '' | '__Host-' | '__Secure-';
}

/** Returns the scope of cookies for the public address of the service. */
export function cookieScope({ appUrl, basePath }: Pick<Config, 'appUrl' | 'basePath'>): CookieScope {
  const secure = appUrl.startsWith('https:');
  const prefix = !secure ? '' : basePath === '' ? '__Host-' : '__Secure-';
  return { secure, path: basePath === '' ? '/' : basePath, prefix };
}
