import { isPlainText } from '../../../platform/http/http.public.js';

type Claims = Readonly<Record<string, unknown>>;

/** Returns a claim as one line of text of at most `max` characters; null if it is anything else. */
export function textClaim(claims: Claims, name: string, max: number): string | null {
  const value = claims[name];
  return typeof value === 'string' && value !== '' && value.length <= max && isPlainText(value) ? value : null;
}

/** Longest subject identifier (OpenID Connect Core §2), and longest address and name that are taken over. */
export const CLAIM_LENGTH = { subject: 255, email: 320, name: 100 } as const;
