/** First path segments of the service. A base path must not begin with one: `/api/…` would be ambiguous. */
const OWN_SEGMENTS = ['api', 'auth', 'dash', 'healthz', 'readyz', '.well-known'];
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/;

export function basePathFault(path: string): string | null {
  if (!BASE_PATH.test(path)) return 'have a path of letters, digits, and the characters - . _ ~ only';
  const first = path.split('/')[1] ?? '';
  return OWN_SEGMENTS.includes(first) ? `have a path that does not begin with /${first}` : null;
}

export function basePathOf(appUrl: string): string {
  return new URL(appUrl).pathname.replace(/\/+$/, '');
}

/** A target without the base path is returned unchanged: a proxy has removed it, or the request is a health probe. */
export function withoutBasePath(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target;
  const remainder = target.slice(basePath.length);
  if (remainder === '' || remainder.startsWith('?')) return `/${remainder}`;
  return remainder.startsWith('/') ? remainder : target;
}

export function withBasePath(path: string, basePath: string): string {
  if (basePath === '' || !path.startsWith('/') || path.startsWith('//')) return path;
  return path === basePath || path.startsWith(`${basePath}/`) ? path : basePath + path;
}
