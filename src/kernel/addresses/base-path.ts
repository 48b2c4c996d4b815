/** First path segments of the service itself. A base path must not begin with one: `/api/…` would have two meanings. */
const OWN_SEGMENTS = ['api', 'auth', 'dash', 'healthz', 'readyz', '.well-known'];
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/;

/** Returns the reason why the path of an address cannot be a base path, or null. */
export function basePathFault(path: string): string | null {
  if (!BASE_PATH.test(path)) return 'have a path of letters, digits, and the characters - . _ ~ only';
  const first = path.split('/')[1] ?? '';
  return OWN_SEGMENTS.includes(first) ? `have a path that does not begin with /${first}` : null;
}

/** Returns the path of `APP_URL`: empty, or for example `/backend`. */
export function basePathOf(appUrl: string): string {
  return new URL(appUrl).pathname.replace(/\/+$/, '');
}

/**
 * Returns a request target without the base path. A target without it is returned unchanged: the proxy has removed it, or the
 * request comes from a probe.
 */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target;
  const rest = target.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}

/** Returns the address that a browser needs for a path of the service. Absolute addresses are returned unchanged. */
export function withBasePath(path: string, basePath: string): string {
  if (basePath === '' || !path.startsWith('/') || path.startsWith('//')) return path;
  return path === basePath || path.startsWith(`${basePath}/`) ? path : basePath + path;
}
