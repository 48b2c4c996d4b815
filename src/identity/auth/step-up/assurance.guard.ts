import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { PROVIDERS_FACTOR } from '../../../kernel/provider-factor.js';
import { type AuthenticatedRequest, routeAccessOf } from '../access/access.decorators.js';
import { isOpenWithoutFactor, isRecovered } from '../access/missing-factor.js';
import { RoleDirectory } from '../access/role-directory.js';
import { SECOND_LEVEL } from '../sessions/factor-classes.public.js';
import { SessionDirectory } from '../sessions/session-directory.js';
import { assuranceOf, isFresh, stepUpRequired } from './assurance.public.js';
import { type StepUpRule, stepUpOf } from './step-up.decorator.js';

/** Demand of a route on how well it is known who is signed in. */
interface Asked {
  /** Whether a role demands a second factor, or the lost one has to be replaced. */
  readonly factor: boolean;
  readonly rule: StepUpRule | undefined;
}

/**
 * Is it known well enough who they are? Judged at every request, from memory in the usual case: a role that demands a second
 * factor demands it now (CONTRACT §10).
 */
@Injectable()
export class AssuranceGuard implements CanActivate {
  constructor(
    private readonly roles: RoleDirectory,
    private readonly sessions: SessionDirectory,
    private readonly clock: Clock,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const { user } = request;
    if (user?.kind !== 'account' || assuranceOf(user) === null) return true;
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access === undefined || access.public) return true;
    const rule = stepUpOf(context.getHandler());
    const asked = {
      factor: access.resource === null || !isOpenWithoutFactor(access.resource),
      rule: rule?.when?.(request) === false ? undefined : rule,
    };
    const due = this.roles.demandsFactor(user, this.clock.nowMs());
    return due instanceof Promise ? due.then((isDue) => this.judge(user, asked, isDue)) : this.judge(user, asked, due);
  }

  private judge(user: AccountPrincipal, asked: Asked, isDue: boolean): boolean | Promise<boolean> {
    if (this.refusalOf(user, asked, isDue) === null) return true;
    // Somebody may have proven more a moment ago, on another instance.
    return this.sessions.findNow(user.sessionId, user.userId).then((now) => {
      const refusal = this.refusalOf(now ?? user, asked, isDue);
      if (refusal !== null) throw refusal;
      return true;
    });
  }

  private refusalOf(user: AccountPrincipal, { factor, rule }: Asked, isDue: boolean): AppError | null {
    const assurance = assuranceOf(user);
    if (assurance === null) return null;
    if (factor && isRecovered(assurance)) return new AppError('mfa_enrollment_required');
    // Whoever has removed it since has proven one that is no more; what a provider asks for is not of the account.
    if (factor && isDue && !assurance.hasFactor && !assurance.amr.includes(PROVIDERS_FACTOR))
      return new AppError('mfa_enrollment_required');
    if (factor && isDue && assurance.level < SECOND_LEVEL) return stepUpRequired(assurance);
    if (rule === undefined || (rule.ofFactor === true && !assurance.hasFactor)) return null;
    return isFresh(assurance, this.clock.nowMs(), rule.maxAge) ? null : stepUpRequired(assurance, rule.maxAge);
  }
}
