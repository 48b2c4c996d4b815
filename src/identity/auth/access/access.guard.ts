import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { activeTracer, traced } from '../../../kernel/tracing.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type AuthenticatedRequest, routeAccessOf } from './access.decorators.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { RoleDirectory } from './role-directory.js';

/** Checks the permissions for the resource of the route. Routes are closed by default (CONTRACT §5). */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly roles: RoleDirectory) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access === undefined) throw new AppError('permission_denied');
    if (access.public) return true;
    const { resource, byRecord } = access;
    if (resource === null) return this.assertSignedIn(context);
    this.assertOpenToKeys(context, resource);
    if (byRecord === true) return true;
    return activeTracer() === null
      ? this.judge(context, resource)
      : traced('authorize', {}, () => this.judge(context, resource));
  }

  /** The assurance guard checks the second factor that a role may require. */
  private assertSignedIn(context: ExecutionContext): true {
    const { user = GUEST } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (user.kind !== 'account') throw new AppError('token_missing');
    if (user.key !== undefined) throw new AppError('key_not_allowed');
    return true;
  }

  private assertOpenToKeys(context: ExecutionContext, resource: string): void {
    const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (user !== undefined && this.roles.refusesKey(user, resource)) throw new AppError('key_not_allowed');
  }

  private judge(context: ExecutionContext, resource: string): boolean | Promise<boolean> {
    const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().user ?? GUEST;
    const isOpen = this.roles.isOpen(principal, resource);
    return isOpen instanceof Promise ? isOpen.then((open) => pass(open, principal)) : pass(isOpen, principal);
  }
}

function pass(isOpen: boolean, principal: Principal): true {
  if (isOpen) return true;
  throw new AppError(principal.kind === 'guest' ? 'token_missing' : 'permission_denied');
}
