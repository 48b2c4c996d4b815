import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { decodeProtectedHeader } from 'jose';
import { defineKeyPurpose, deriveKey } from '../../../kernel/keys/key-derivation.js';
import type { OwnClaims } from '../../../kernel/principal.types.js';
import { isUuid } from '../../../kernel/keys/random.js';
import { OWN_CLAIM } from './token-claims.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Only this service can verify HS256. Other services can verify EdDSA. */
export type TokenAlgorithm = 'HS256' | 'EdDSA';

/** Header of an access token (RFC 9068 §2.1). All members must match exactly. */
export interface AccessTokenHeader {
  readonly alg: TokenAlgorithm;
  readonly typ: 'at+jwt';
  /** Id of the public key, if there is one. */
  readonly kid?: string;
}

/** The public half of the key that signs access tokens (RFC 8037 §2). */
export type PublicTokenKey = Readonly<Record<'kty' | 'crv' | 'x' | 'kid' | 'alg' | 'use', string>>;

export interface TokenKeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly published: PublicTokenKey;
}

/** Signs access tokens. A change of `APP_KEY` invalidates all of them. */
export const ACCESS_TOKEN_KEY = defineKeyPurpose('access-token', 'dies');
const KEY_PAIR_SEED = defineKeyPurpose('access-token-ed25519', 'dies');

/** An Ed25519 private key in PKCS #8, up to its 32 bytes (RFC 8410 §7). */
const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Required claims of an access token. Times are in seconds since the epoch. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly sid: string;
  readonly jti: string;
  readonly iat: number;
  readonly exp: number;
  /** Claims of the application. */
  readonly own?: Readonly<Partial<OwnClaims>>;
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = defineLimit(4_096, 'Accounts', 'characters of an access token', 'token_invalid');

/** Derives the same key pair on every instance, without storing it. A change of `APP_KEY` replaces it. */
export function deriveTokenKeyPair(appKey: string): TokenKeyPair {
  const seed = deriveKey(appKey, KEY_PAIR_SEED).export();
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_START, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  const x = publicKey.export({ format: 'jwk' }).x ?? '';
  // The thumbprint (RFC 7638 §3.2, RFC 8037 §2): the required members of the key, in this order.
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { privateKey, publicKey, published: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** Returns whether the header has exactly the expected members and values. */
export function hasAccessTokenHeader(token: string, expected: AccessTokenHeader): boolean {
  if (token.length > MAX_LENGTH || !COMPACT.test(token)) return false;
  try {
    const header: Readonly<Record<string, unknown>> = { ...decodeProtectedHeader(token) };
    const members = Object.entries(expected);
    return Object.keys(header).length === members.length && members.every(([name, value]) => header[name] === value);
  } catch {
    return false;
  }
}

/** Returns null if a claim is missing or has another type. */
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

/** A token and its source. A token in a cookie was sent by the browser, not by the caller. */
export interface PresentedToken {
  readonly token: string;
  readonly from: 'header' | 'cookie';
}

const TOKEN_COOKIE = /(?:^|;)\s*token\s*=/g;
const BEARER = /^Bearer(?: +(.*))?$/i;

/** Header `Authorization: Bearer …` (RFC 6750 §2.1), else cookie `token`. All text after `Bearer` is the token. */
export function findToken(request: FastifyRequest): PresentedToken | null {
  const header = request.headers.authorization;
  const bearer = header === undefined ? null : BEARER.exec(header);
  if (bearer !== null) return { token: bearer[1] ?? '', from: 'header' };
  // Two cookies with this name have different sources, and the server cannot determine which one it has set.
  if ((request.headers.cookie?.match(TOKEN_COOKIE)?.length ?? 0) > 1) return { token: '', from: 'cookie' };
  const cookie = request.cookies['token'];
  return cookie === undefined || cookie === '' ? null : { token: cookie, from: 'cookie' };
}
