import { Controller, Get, Injectable, Module, Post, Req, type Type } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from 'nest-on-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { INestApplication } from '@nestjs/common';
import {
  CurrentAccount,
  CurrentPrincipal,
  LintelAccess,
  LintelGuardModule,
  type LintelGuardOptions,
  Public,
  type RemoteAccount,
  type RemotePrincipal,
  Resource,
} from '../../src/guards.js';

export const ADAPTERS: [string, () => unknown][] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

@Injectable()
class Orders {
  constructor(readonly access: LintelAccess) {}
}

@Controller('orders')
class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Get()
  @Resource('acme.orders.list')
  list(@CurrentAccount() account: RemoteAccount): object {
    const { userId, email, roles, byKey, claims } = account;
    return { userId, email, roles, byKey, claims };
  }

  @Post()
  @Resource('acme.orders.create')
  create(@CurrentPrincipal() principal: RemotePrincipal): object {
    return { may: this.orders.access.can(principal, 'acme.orders.delete') };
  }

  @Get('menu')
  @Public()
  menu(@CurrentPrincipal() principal: RemotePrincipal, @Req() request: { user?: unknown }): object {
    return { kind: principal.kind, user: request.user ?? null };
  }
}

export async function startGuarded(
  adapter: unknown,
  options: LintelGuardOptions & { everywhere?: boolean },
  controllers: readonly Type[] = [],
): Promise<INestApplication> {
  @Module({
    imports: [LintelGuardModule.forRoot(options)],
    controllers: [OrdersController, ...controllers],
    providers: [Orders],
  })
  class AcmeModule {}

  const app = await NestFactory.create(AcmeModule, adapter as AbstractHttpAdapter, {
    logger: false,
    abortOnError: false,
  });
  await app.listen(0, '127.0.0.1');
  return app;
}
