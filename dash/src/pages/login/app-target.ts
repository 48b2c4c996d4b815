export interface AppTarget {
  /** Whether it is a program on the user's computer. */
  local: boolean;
  host: string;
  /** URL without its query. */
  address: string;
  /** Whether a web app linked to this page. A signed-in user can continue directly then. */
  linked: boolean;
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
const MAX_LENGTH = 8192;

/**
 * Reads the target from a carrier: `base64url(JSON).signature`, optionally with a header before it. The JSON contains `redirect_uri`. The
 * service checks the signature when the form is submitted, so a displayed target that was forged is rejected. Returns null if the target
 * cannot be determined with certainty.
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
