/** Path below which a proxy serves the pages: empty, or for example `/backend`. The service writes it into the document. */
export const BASE_PATH = globalThis.document?.querySelector?.('meta[name="app-base"]')?.getAttribute('content') ?? '';

/** Returns the address of a path of the service, for everything that the browser itself opens. */
export function addressOf(path: string): string {
  return BASE_PATH + path;
}

/** Returns the absolute address of the service, without a trailing slash. */
export function serviceAddress(): string {
  return location.origin + BASE_PATH;
}
