import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { activeTracer, traced } from '../../../platform/tracing/tracing.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type AuthenticatedRequest, routeAccessOf } from './access.decorators.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { Authenticators } from './authenticators.service.js';
import { RoleDirectory } from './role-directory.js';

/** Authenticates the request. Public routes pass. A request without credentials is a guest; invalid credentials are rejected. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly authenticators: Authenticators) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access?.public === true) return true;
    return activeTracer() === null ? this.admit(context) : traced('authenticate', {}, () => this.admit(context));
  }

  private admit(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const found = this.authenticators.principalOf(request, context);
    return found instanceof Promise ? found.then((principal) => admit(request, principal)) : admit(request, found);
  }
}

function admit(request: AuthenticatedRequest, principal: Principal): true {
  request.user = principal;
  return true;
}

/** Checks the permissions for the resource of the route. Routes are closed by default. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly roles: RoleDirectory) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access === undefined) throw new AppError('permission_denied');
    if (access.public) return true;
    const { resource, byRecord } = access;
    const { user = GUEST } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (resource === null) return assertSignedIn(user);
    if (this.roles.refusesKey(user, resource)) throw new AppError('key_not_allowed');
    if (byRecord === true) return true;
    return activeTracer() === null
      ? this.assertOpen(user, resource)
      : traced('authorize', {}, () => this.assertOpen(user, resource));
  }

  private assertOpen(principal: Principal, resource: string): boolean | Promise<boolean> {
    const isOpen = this.roles.isOpen(principal, resource);
    return isOpen instanceof Promise ? isOpen.then((open) => pass(open, principal)) : pass(isOpen, principal);
  }
}

/** The assurance guard checks the second factor that a role may require. */
function assertSignedIn(user: Principal): true {
  if (user.kind !== 'account') throw new AppError('token_missing');
  if (user.key !== undefined) throw new AppError('key_not_allowed');
  return true;
}

function pass(isOpen: boolean, principal: Principal): true {
  if (isOpen) return true;
  throw new AppError(principal.kind === 'guest' ? 'token_missing' : 'permission_denied');
}
