/** Path prefix of a proxy: empty, or for example `/backend`. The service writes it into the document. */
export const BASE_PATH = globalThis.document?.querySelector?.('meta[name="app-base"]')?.getAttribute('content') ?? '';

/** Prefixes a path of the service for URLs that the browser opens. */
export function addressOf(path: string): string {
  return BASE_PATH + path;
}

/** Returns the absolute URL of the service without a trailing slash. */
export function serviceAddress(): string {
  return location.origin + BASE_PATH;
}
