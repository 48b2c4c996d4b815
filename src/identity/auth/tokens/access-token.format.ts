import { decodeProtectedHeader } from 'jose';
import { defineKeyPurpose } from '../../../kernel/key-derivation.js';
import type { OwnClaims } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/random.js';
import { OWN_CLAIM } from './token-claims.decorator.js';

/** What the header of an access token says (RFC 9068 §2.1). Both are pinned. */
export const ACCESS_TOKEN = { algorithm: 'HS256', type: 'at+jwt' } as const;

/** Signs access tokens: a change of `APP_KEY` ends them all. */
export const ACCESS_TOKEN_KEY = defineKeyPurpose('access-token', 'dies');

/** The claims that an access token must have, each of its type. Times are in seconds since the epoch. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly sid: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  /** Those of the application. */
  readonly own?: Readonly<Partial<OwnClaims>>;
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = 4_096;

/** Whether the header is exactly that of an access token: algorithm and type pinned, no extension that must be understood. */
export function hasAccessTokenHeader(token: string): boolean {
  if (token.length > MAX_LENGTH || !COMPACT.test(token)) return false;
  try {
    const header = decodeProtectedHeader(token);
    return (
      header.alg === ACCESS_TOKEN.algorithm && header.typ === ACCESS_TOKEN.type && Object.keys(header).length === 2
    );
  } catch {
    return false;
  }
}

/** Reads verified claims; null where one is missing or of another type. */
export function readClaims(payload: unknown): AccessTokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, sid, jti, iat, exp } = payload as Record<string, unknown>;
  if (!isUuid(sub) || !isUuid(sid) || !isUuid(jti) || !isTime(iat) || !isTime(exp)) return null;
  const own = Object.entries(payload).filter(([name]) => OWN_CLAIM.test(name));
  const claims = { sub, sid, jti, iat, exp };
  return own.length === 0 ? claims : { ...claims, own: Object.freeze(Object.fromEntries(own)) };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}
