/** Who receives a native-app sign-in, for display. */
export interface AppTarget {
  /** Whether it is a program on the person's own computer. */
  local: boolean;
  /** Host and port. */
  host: string;
  /** The whole address without its query. */
  address: string;
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
    const uri = (content as { redirect_uri?: unknown }).redirect_uri;
    return typeof uri === 'string' ? describe(new URL(uri)) : null;
  } catch {
    return null;
  }
}

function describe(url: URL): AppTarget | null {
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) return null;
  return { local: LOOPBACK.includes(url.hostname), host: url.host, address: url.origin + url.pathname };
}

function decode(text: string): string {
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
