import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../../kernel/principal.types.js';

/** Bearer for whom a token stands, and the end of the token. */
export interface BearerOfToken {
  readonly principal: Principal;
  /** Infinite if it does not end by itself. */
  readonly expiresAtMs: number;
}

/**
 * A way in which a request proves who sends it. A provider of this class is registered by being there, in whichever module;
 * the guard asks one authenticator a request: the first that finds something of its own (ADR 0025).
 */
export abstract class Authenticator<Presented = unknown> {
  /** Of its own among all authenticators. */
  abstract readonly name: string;
  /** Smaller ones are asked first. The access token takes every bearer token that is left, at 100. */
  readonly order: number = 0;

  /**
   * Returns what the request brings for this authenticator, or null if it brings nothing of the kind. Judged by the shape of
   * a header: every request with a token pays for it.
   */
  abstract find(request: FastifyRequest): Presented | null;

  /**
   * Returns whose request it is; without a promise if it is known already.
   *
   * @throws AppError if what was presented is not good: no other authenticator is asked.
   */
  abstract authenticate(presented: Presented, context: ExecutionContext): Principal | Promise<Principal>;

  /**
   * Returns whom a bearer token stands for that another service was sent, or null if it is none of this kind; nobody unless a
   * kind says otherwise.
   *
   * @throws AppError if the token is of this kind and not good.
   */
  introspect(_token: string): Promise<BearerOfToken | null> {
    return Promise.resolve(null);
  }
}
