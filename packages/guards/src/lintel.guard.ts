import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { GuardRefusal } from './guard-refusal.errors.js';
import type { GuestPrincipal, RemoteAccount, RemotePrincipal } from './guard.types.js';
import { LintelAccess } from './lintel-access.service.js';
import { requestOf } from './request-of.js';
import { type RouteAccess, routeAccessOf } from './route-access.decorators.js';
import { TokenIssuer } from './token-issuer.service.js';

interface GuardedRequest {
  readonly headers: { readonly authorization?: string };
  user?: RemotePrincipal;
}

const BEARER = /^Bearer +(.*)$/i;
const GUEST: GuestPrincipal = Object.freeze({ kind: 'guest' });

/**
 * Authenticates requests by the tokens and API keys of the issuer. Public routes are open. All others need a token in the header whose
 * account may use the resource. Routes without a declaration are closed, and so are handlers without an HTTP request.
 */
@Injectable()
export class LintelGuard implements CanActivate {
  constructor(
    private readonly issuer: TokenIssuer,
    private readonly access: LintelAccess,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const access = routeAccessOf(context.getHandler(), context.getClass());
    if (access?.public === true) return true;
    const request = requestOf<GuardedRequest>(context);
    if (request === undefined) throw new GuardRefusal('permission_denied');
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new GuardRefusal('token_missing');
    const account = await this.issuer.accountOf(token);
    this.assertOpen(account, access);
    request.user = account;
    return true;
  }

  /** @throws GuardRefusal */
  private assertOpen(account: RemoteAccount, access: RouteAccess | undefined): void {
    if (access === undefined || access.public || access.byRecord === true) throw new GuardRefusal('permission_denied');
    const { resource } = access;
    if (resource === null ? account.isSignedIn : this.access.can(account, resource)) return;
    throw new GuardRefusal(resource === null && account.byKey ? 'key_not_allowed' : 'permission_denied');
  }
}

/** Injects the account of the request. On a public route it throws `token_missing`. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): RemoteAccount => {
  const user = requestOf<GuardedRequest>(context)?.user;
  if (user?.kind !== 'account') throw new GuardRefusal('token_missing');
  return user;
});

/** Injects the principal of the request: the account, or a guest on a public route. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): RemotePrincipal => requestOf<GuardedRequest>(context)?.user ?? GUEST,
);
