import { type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { namedProviders } from '../../../platform/extension/module-settings.js';
import { GUEST, type Principal } from '../../../kernel/principal.types.js';
import { Authenticator } from './authenticator.port.js';

@Injectable()
export class Authenticators implements OnModuleInit {
  /** Sorted by `order`. */
  list: readonly Authenticator[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for two authenticators with the same name. */
  onModuleInit(): void {
    const found = namedProviders(
      this.discovery,
      Authenticator,
      ({ name }) => [name],
      'Two authenticators have the name',
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
