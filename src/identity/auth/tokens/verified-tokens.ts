import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import type { AccessTokenClaims } from './access-token.format.js';

/** @internal */
const MAX_TOKENS = 20_000;

/**
 * Tokens whose header, signature, issuer and audience this process has found good, by their SHA-256, with their claims. What was
 * good stays good as long as the key does, which is as long as the process; what may change (expiry, session, account,
 * permission) is not remembered here and is checked at every request (ADR 0009).
 */
@Injectable()
export class VerifiedTokens {
  private readonly claims = boundedCache<AccessTokenClaims>(MAX_TOKENS);

  /** Returns the claims of a token that was verified before: the very same text, to the last character. */
  find(token: string): AccessTokenClaims | undefined {
    return this.claims.get(keyOf(token));
  }

  /** Remembers a token that was just verified. */
  remember(token: string, claims: AccessTokenClaims): void {
    this.claims.set(keyOf(token), claims);
  }
}

/** Returns the digest of a token: none is kept in memory, and its digest is enough to know it again. */
function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}
