import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../../kernel/principal.types.js';

/** The principal that a bearer token belongs to, and when the token expires. */
export interface BearerOfToken {
  readonly principal: Principal;
  /** Infinity for a token without expiry. */
  readonly expiresAtMs: number;
}

/**
 * Authenticates requests by one kind of credentials. Providers of this class are registered automatically, in any module. The guard uses
 * the first authenticator that finds its credentials in the request (ADR 0025).
 */
export abstract class Authenticator<Presented = unknown> {
  /** Unique among all authenticators. */
  abstract readonly name: string;
  /** Lower values are tried first; default 0. The access token accepts every remaining bearer token, at 100. */
  readonly order: number = 0;

  /**
   * Returns the credentials for this authenticator, or null if the request has none. Check only the shape of a header, because this runs
   * for every request with a token.
   */
  abstract find(request: FastifyRequest): Presented | null;

  /**
   * Returns the principal of the request, without a promise if it is already known.
   *
   * @throws AppError if the credentials are invalid. No other authenticator is tried.
   */
  abstract authenticate(presented: Presented, context: ExecutionContext): Principal | Promise<Principal>;

  /**
   * Returns the principal of a bearer token that another service received, or null for another kind of token. Default: null.
   *
   * @throws AppError if the token is of this kind and invalid.
   */
  introspect(_token: string): Promise<BearerOfToken | null> {
    return Promise.resolve(null);
  }
}
