import { isPlainText } from '../../../platform/http/http.public.js';

type Claims = Readonly<Record<string, unknown>>;

/** Returns a claim that is a single line of text with at most `max` characters, else null. */
export function textClaim(claims: Claims, name: string, max: number): string | null {
  const value = claims[name];
  return typeof value === 'string' && value !== '' && value.length <= max && isPlainText(value) ? value : null;
}

/** Maximum lengths of the subject identifier (OpenID Connect Core §2), address and name. */
export const CLAIM_LENGTH = { subject: 255, email: 320, name: 100 } as const;
