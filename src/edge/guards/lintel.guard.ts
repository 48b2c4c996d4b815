import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { routeAccessOf } from '../../identity/auth/access/access.decorators.js';
import { GuardRefusal } from './guard-refusal.errors.js';
import type { RemoteAccount, RemotePrincipal } from './guard.types.js';
import { LintelAccess } from './lintel-access.service.js';
import { TokenIssuer } from './token-issuer.service.js';

/** Members that are read of a request, be it of Express or of Fastify. */
interface GuardedRequest {
  readonly headers: { readonly authorization?: string };
  user?: RemotePrincipal;
}

const BEARER = /^Bearer +(.*)$/i;

/**
 * Lets in who may, by the tokens and keys of the issuer: public routes pass, any other needs a token in the header whose
 * bearer may reach its resource. A route that declares neither is shut.
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
    if (context.getType() !== 'http') throw new GuardRefusal('permission_denied');
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    const token = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new GuardRefusal('token_missing');
    const account = await this.issuer.accountOf(token);
    if (access === undefined || access.byRecord === true || !this.access.can(account, access.resource))
      throw new GuardRefusal('permission_denied');
    request.user = account;
    return true;
  }
}

/** The account of the request, in a guarded service. */
export const CurrentAccount = createParamDecorator((_data: unknown, context: ExecutionContext): RemoteAccount => {
  const { user } = context.switchToHttp().getRequest<GuardedRequest>();
  if (user?.kind !== 'account') throw new GuardRefusal('token_missing');
  return user;
});
