/** Receiver of the sign-in of an app, for display. */
export interface AppTarget {
  /** Whether it is a program on the person's own computer. */
  local: boolean;
  /** Host and port. */
  host: string;
  /** The whole address without its query. */
  address: string;
  /** Whether it came by the link of a web app: whoever is signed in here may go on to it. */
  linked: boolean;
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
const MAX_LENGTH = 8192;

/**
 * Reads the target out of a carrier: `base64url(JSON).signature`, or with a header before it; the JSON has
 * `redirect_uri`. The service checks the signature when the form is posted, so what is shown here is what it will
 * use, or it refuses. Answers null for everything that cannot be named with certainty.
 */
export function readAppTarget(carrier: string): AppTarget | null {
  if (carrier.length > MAX_LENGTH) return null;
  const parts = carrier.split('.');
  const payload = parts.length === 2 ? parts[0] : parts.length === 3 ? parts[1] : undefined;
  try {
    const content: unknown = JSON.parse(decode(payload ?? ''));
    const { redirect_uri: uri, linked } = content as { redirect_uri?: unknown; linked?: unknown };
    return typeof uri === 'string' ? describe(new URL(uri), linked === true) : null;
  } catch {
    return null;
  }
}

function describe(url: URL, linked: boolean): AppTarget | null {
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return null;
  return { local: LOOPBACK.includes(url.hostname), host: url.host, address: url.origin + url.pathname, linked };
}

function decode(text: string): string {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
