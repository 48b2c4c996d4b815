import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { Clock } from '../../../kernel/clock.port.js';
import type { AccountPrincipal } from '../../../kernel/principal.types.js';
import { type AuthenticatedRequest, routeAccessOf } from '../access/access.decorators.js';
import {
  assuranceOf,
  isFresh,
  isOpenWithoutFactor,
  isRecovered,
  PROVIDERS_FACTOR,
  SECOND_LEVEL,
  stepUpRequired,
} from '../access/assurance.public.js';
import { RoleDirectory } from '../access/role-directory.js';
import { SessionDirectory } from '../sessions/session-directory.js';
import { type StepUpRule, stepUpOf } from './step-up.decorator.js';

interface Demand {
  /** Whether the route is closed while a required second factor is missing. */
  readonly factor: boolean;
  readonly rule: StepUpRule | undefined;
}

/** Checks the assurance of the session at every request, usually from memory. A change of a role applies immediately. */
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
    const demand = {
      factor: access.resource === null || !isOpenWithoutFactor(access.resource),
      rule: rule?.when?.(request) === false ? undefined : rule,
    };
    const due = this.roles.demandsFactor(user, this.clock.nowMs());
    return due instanceof Promise
      ? due.then((isDue) => this.check(user, demand, isDue))
      : this.check(user, demand, due);
  }

  private check(user: AccountPrincipal, demand: Demand, isDue: boolean): boolean | Promise<boolean> {
    if (this.refusalOf(user, demand, isDue) === null) return true;
    // The user may have just proven more on another instance.
    return this.sessions.findNow(user.sessionId, user.userId).then((now) => {
      const refusal = this.refusalOf(now ?? user, demand, isDue);
      if (refusal !== null) throw refusal;
      return true;
    });
  }

  private refusalOf(user: AccountPrincipal, { factor, rule }: Demand, isDue: boolean): AppError | null {
    const assurance = assuranceOf(user);
    if (assurance === null) return null;
    if (factor && isRecovered(assurance)) return new AppError('mfa_enrollment_required');
    // A factor that was removed after its proof does not count. The second factor of a provider is not stored on the account.
    if (factor && isDue && !assurance.hasFactor && !assurance.amr.includes(PROVIDERS_FACTOR))
      return new AppError('mfa_enrollment_required');
    if (factor && isDue && assurance.level < SECOND_LEVEL) return stepUpRequired(assurance);
    if (rule === undefined || (rule.ofFactor === true && !assurance.hasFactor)) return null;
    return isFresh(assurance, this.clock.nowMs(), rule.maxAge) ? null : stepUpRequired(assurance, rule.maxAge);
  }
}
