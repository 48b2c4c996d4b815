import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccessTokenClaims } from './access-token.format.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { SessionActivity } from '../sessions/session-activity.service.js';
import { SessionDirectory } from '../sessions/session-directory.js';

/** Turns verified claims into a principal: not expired, and the session alive. Answers at once in the usual case. */
@Injectable()
export class AccountPrincipals {
  constructor(
    private readonly sessions: SessionDirectory,
    private readonly activity: SessionActivity,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError `token_expired`, or `token_invalid` where the session is over. */
  of(claims: AccessTokenClaims): AccountPrincipal | Promise<AccountPrincipal> {
    if (claims.exp * 1_000 <= this.clock.nowMs()) throw new AppError('token_expired');
    const found = this.sessions.find(claims.sid, claims.sub);
    return found instanceof Promise ? found.then((principal) => this.living(principal)) : this.living(found);
  }

  private living(principal: AccountPrincipal | null): AccountPrincipal {
    if (principal === null) throw new AppError('token_invalid');
    this.activity.note(principal.sessionId);
    return principal;
  }
}
