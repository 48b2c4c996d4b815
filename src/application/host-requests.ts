import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../kernel/errors/app-error.js';
import type { Principal } from '../kernel/principal.types.js';
import type { AssuranceGuard } from '../identity/auth/step-up/assurance.guard.js';
import { Authenticated, type AuthenticatedRequest, routeAccessOf } from '../identity/auth/access/access.decorators.js';
import type { AccessGuard } from '../identity/auth/access/access.guard.js';
import type { Authenticators } from '../identity/auth/access/authenticators.service.js';

/** A Node, Express or Fastify request of the host application. */
export interface HostRequest {
  readonly headers: IncomingHttpHeaders | Headers;
  /** Default: `GET`. An unsafe method with only a cookie must come from the same origin. */
  readonly method?: string;
  readonly socket?: { readonly remoteAddress?: string };
}

/** A handler of the host application, whose access declarations apply. */
export interface HostHandler {
  readonly handler: object;
  readonly controller: object;
}

interface Checks {
  readonly authenticators: Authenticators;
  readonly access: AccessGuard;
  readonly assurance: AssuranceGuard;
}

const PATH = '/api/_host';
const CALL = 'lintel-host-call';
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Headers that are not copied: those of the body and the connection, and `lintel-view-as`, which applies to Lintel's own routes only. */
const DROPPED =
  /^(?:content-.*|transfer-encoding|expect|connection|keep-alive|upgrade|te|trailer|lintel-host-call|lintel-view-as)$/;

class SignedInRoute {
  @Authenticated()
  handle(): void {}
}
/** A route for any signed-in account, used for requests without declarations. */
const SIGNED_IN: HostHandler = { handler: SignedInRoute.prototype.handle, controller: SignedInRoute };

/**
 * Authenticates requests of the host application. Injects a request with the same headers into Lintel's HTTP server, in memory. Cookies,
 * proxies and client addresses are therefore read by the same code as on Lintel's routes.
 */
export class HostRequests {
  private readonly calls = new Map<string, (request: FastifyRequest, reply: FastifyReply) => Promise<void>>();

  /** Adds a route, so call it before the server is ready. The route returns 404 to all requests that are not injected here. */
  constructor(
    private readonly server: FastifyInstance,
    private readonly checks: Checks,
  ) {
    const handler = (request: FastifyRequest, reply: FastifyReply): unknown => {
      const call = this.calls.get(String(request.headers[CALL]));
      return call === undefined ? reply.callNotFound() : call(request, reply);
    };
    server.route({ method: ['GET', 'POST'], url: PATH, handler });
  }

  /**
   * Returns the principal of a request; a guest if it has no credentials.
   *
   * @param route the handler of the host application whose `@Resource` and `@StepUp` apply. A handler without a declaration requires an
   * account. Without a handler, guests are accepted too.
   * @throws AppError with the codes that a route of Lintel with these declarations returns.
   */
  async authenticate(request: HostRequest, route: HostHandler = SIGNED_IN): Promise<Principal> {
    const id = randomUUID();
    let outcome: Promise<Principal> = Promise.reject(new AppError('internal_error'));
    outcome.catch(() => undefined);
    this.calls.set(id, async (copy, reply) => {
      outcome = this.principalOf(copy, reply, route);
      await outcome.catch(() => undefined);
      await reply.code(204).send();
    });
    try {
      await this.server.inject({
        method: SAFE.has(request.method ?? 'GET') ? 'GET' : 'POST',
        url: PATH,
        headers: { ...copyOf(request.headers), [CALL]: id },
        remoteAddress: request.socket?.remoteAddress,
      });
    } finally {
      this.calls.delete(id);
    }
    return outcome;
  }

  private async principalOf(request: FastifyRequest, reply: FastifyReply, route: HostHandler): Promise<Principal> {
    const declared = routeAccessOf(route.handler, route.controller);
    const { handler, controller } = declared === undefined ? SIGNED_IN : route;
    const context = new ExecutionContextHost([request, reply], controller as never, handler as never);
    const principal = await this.checks.authenticators.principalOf(request, context);
    (request as AuthenticatedRequest).user = principal;
    if (declared === undefined && principal.kind === 'guest') throw new AppError('token_missing');
    if (declared !== undefined && route !== SIGNED_IN) await this.checks.access.canActivate(context);
    await this.checks.assurance.canActivate(context);
    return principal;
  }
}

function copyOf(headers: HostRequest['headers']): Record<string, string | string[]> {
  const entries = headers instanceof Headers ? [...headers.entries()] : Object.entries(headers);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined || DROPPED.test(name) ? [] : [[name, value]])),
  );
}
