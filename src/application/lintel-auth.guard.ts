import { type CanActivate, type ExecutionContext, HttpException, Injectable } from '@nestjs/common';
import { requestOf } from '../../packages/guards/src/guards.js';
import { Application } from './create-app.js';
import { routeAccessOf } from '../identity/auth/access/access.decorators.js';
import type { HostRequest } from './host-requests.js';
import { AppError } from '../kernel/errors/app-error.js';
import type { Principal } from '../kernel/principal.types.js';
import { toEnvelope } from '../platform/http/output/envelope.js';

/**
 * Authenticates routes of the host application, in the same process as Lintel: access tokens (header and cookie) and API keys.
 *
 * - `@Resource('acme.orders')` requires that permission, `@Public()` allows every request, and `@StepUp()` requires a recent
 *   authentication. Without a declaration every signed-in account is allowed.
 * - `@CurrentPrincipal()` and `@CurrentAccount()` inject the principal into the handler.
 * - It also guards GraphQL resolvers (Apollo and Mercurius). Handlers without an HTTP request are rejected. Authenticate the connection of
 *   a WebSocket gateway with `Application.authenticate()`.
 *
 * @throws HttpException whose body is an error response of Lintel: `token_missing`, `token_invalid`, `token_expired`,
 * `permission_denied`, ….
 */
@Injectable()
export class LintelAuthGuard implements CanActivate {
  constructor(private readonly lintel: Application) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf<HostRequest & { user?: Principal }>(context);
    const route = { handler: context.getHandler(), controller: context.getClass() };
    if (routeAccessOf(route.handler, route.controller)?.public === true) return true;
    try {
      if (request === undefined) throw new AppError('permission_denied');
      request.user = await this.lintel.authenticateRoute(request, route);
    } catch (error) {
      throw error instanceof AppError ? new HttpException(toEnvelope(error), error.status, { cause: error }) : error;
    }
    return true;
  }
}
