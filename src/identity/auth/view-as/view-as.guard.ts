import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { AppError } from '../../../kernel/errors/app-error.js';
import { type AccountPrincipal, GUEST, type Principal } from '../../../kernel/principal.types.js';
import { defineAuditActions } from '../../../platform/audit/audit.public.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.service.js';
import { type AuthenticatedRequest, routeAccessOf } from '../access/access.decorators.js';
import { originOf } from '../access/client-context.js';
import { RoleDirectory } from '../access/role-directory.js';
import { AssuranceGuard } from '../step-up/assurance.guard.js';
import { viewAsOf } from './view-as.decorator.js';
import { type Viewed, ViewedPrincipals } from './viewed-principals.service.js';

const ACTIONS = defineAuditActions('View as', {
  'access.view': 'An administrator sent a request as another user. `path` contains the requested path.',
});

declare module '../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const HEADER = 'lintel-view-as';
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Length of the path in the audit log. @internal */
const MAX_PATH = 300;

/** Lets an administrator send read-only requests with the permissions of another principal. Each one is recorded first. */
@Injectable()
export class ViewAsGuard implements CanActivate {
  constructor(
    private readonly dataSource: DataSource,
    private readonly roles: RoleDirectory,
    private readonly assurance: AssuranceGuard,
    private readonly principals: ViewedPrincipals,
    private readonly audit: AuditTrail,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const header = request.headers[HEADER];
    return header === undefined ? true : this.replace(context, request, String(header));
  }

  private async replace(context: ExecutionContext, request: AuthenticatedRequest, header: string): Promise<true> {
    if (!mayBeViewed(context, request.method)) throw new AppError('view_as_read_only');
    if (routeAccessOf(context.getHandler(), context.getClass())?.public === true) return true;
    const viewer = await this.administrator(context, request.user ?? GUEST);
    const viewed = readViewed(header);
    const principal = viewed && (await this.principals.find(viewed));
    if (principal === null) throw new AppError('view_as_invalid');
    await this.record(viewer, request, header);
    void context.switchToHttp().getResponse<FastifyReply>().header(HEADER, header);
    request.user = principal;
    return true;
  }

  /** @throws AppError `permission_denied` for a user without all permissions, and for API keys. */
  private async administrator(context: ExecutionContext, user: Principal): Promise<AccountPrincipal> {
    if (user.kind !== 'account' || user.key !== undefined) throw new AppError('permission_denied');
    if (!(await this.roles.permissionsOf(user)).root) throw new AppError('permission_denied');
    await this.assurance.canActivate(context);
    return user;
  }

  private async record(viewer: AccountPrincipal, request: AuthenticatedRequest, header: string): Promise<void> {
    const [path = ''] = request.url.split('?');
    const facts = { method: request.method, path: path.slice(0, MAX_PATH) };
    const event = { resource: header, origin: originOf(request), facts };
    await this.audit.writeFor(this.dataSource.manager, viewer.userId, 'access.view', event);
  }
}

function mayBeViewed(context: ExecutionContext, method: string): boolean {
  const declared = viewAsOf(context.getHandler());
  return declared === undefined ? SAFE.has(method) : declared === 'allowed';
}

/** Returns null for an invalid value. */
function readViewed(header: string): Viewed | null {
  if (header === 'guest') return { kind: 'guest' };
  const [, kind, name] = /^(role|user):([a-z0-9_-]{1,255})$/.exec(header) ?? [];
  if (name === undefined) return null;
  return kind === 'role' ? { kind: 'role', name } : { kind: 'user', id: name };
}
