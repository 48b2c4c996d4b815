import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccessTokenClaims } from './access-token.format.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { SessionActivity } from '../sessions/session-activity.service.js';
import { SessionDirectory } from '../sessions/session-directory.js';

/** Turns verified claims into a principal, if the token has not expired and its session is active. Returns no promise in the usual case. */
@Injectable()
export class AccountPrincipals {
  private readonly claimed = new WeakMap<AccessTokenClaims, { of: AccountPrincipal; principal: AccountPrincipal }>();

  constructor(
    private readonly sessions: SessionDirectory,
    private readonly activity: SessionActivity,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `token_expired`, or `token_invalid` if the session has ended. */
  of(claims: AccessTokenClaims): AccountPrincipal | Promise<AccountPrincipal> {
    if (claims.exp * 1_000 <= this.clock.nowMs()) throw new AppError('token_expired');
    const found = this.sessions.find(claims.sid, claims.sub);
    if (found instanceof Promise) return found.then((principal) => this.living(principal, claims));
    return this.living(found, claims);
  }

  private living(principal: AccountPrincipal | null, claims: AccessTokenClaims): AccountPrincipal {
    if (principal === null) throw new AppError('token_invalid');
    this.activity.note(principal.sessionId);
    return claims.own === undefined ? principal : this.withOwn(principal, claims);
  }

  /** Returns the same object for all requests with a token while nothing changes, because caches use it as their key. */
  private withOwn(principal: AccountPrincipal, claims: AccessTokenClaims): AccountPrincipal {
    const known = this.claimed.get(claims);
    if (known?.of === principal) return known.principal;
    const made = Object.freeze({ ...principal, claims: claims.own });
    this.claimed.set(claims, { of: principal, principal: made });
    return made;
  }
}
