import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import type { AccessTokenClaims } from './access-token.format.js';

/** @internal */
const MAX_TOKENS = 20_000;

/** Caches verified signatures for the life of the process. Expiry, session, account and permissions are checked every time (ADR 0009). */
@Injectable()
export class VerifiedTokens {
  private readonly claims = boundedCache<AccessTokenClaims>(MAX_TOKENS);

  find(token: string): AccessTokenClaims | undefined {
    return this.claims.get(keyOf(token));
  }

  remember(token: string, claims: AccessTokenClaims): void {
    this.claims.set(keyOf(token), claims);
  }
}

/** Tokens themselves are not kept in memory. */
function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}
