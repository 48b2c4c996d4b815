import { type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { assertDistinct } from '../../../kernel/errors/definition-error.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { Authenticator } from './authenticator.port.js';

@Injectable()
export class Authenticators implements OnModuleInit {
  /** Sorted by `order`. */
  list: readonly Authenticator[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for two authenticators with the same name. */
  onModuleInit(): void {
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    const found = [...instances].filter((instance) => instance instanceof Authenticator);
    assertDistinct(
      found.map(({ name }) => name),
      'Two authenticators are called',
    );
    this.list = found.toSorted((one, other) => one.order - other.order);
  }

  /** Returns no promise if the principal is already known. @throws AppError if the credentials are not valid. */
  principalOf(request: FastifyRequest, context: ExecutionContext): Principal | Promise<Principal> {
    for (const authenticator of this.list) {
      const presented = authenticator.find(request);
      if (presented !== null) return authenticator.authenticate(presented, context);
    }
    return GUEST;
  }
}
