import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Authenticated,
  CurrentPrincipal,
  LintelGuardModule,
  Public,
  type RemotePrincipal,
  Resource,
} from '@lintel/guards';

/** Returns the members of a principal that the application of Lintel knows as well. */
function seen(principal: RemotePrincipal): object {
  if (principal.kind === 'guest') return { kind: 'guest' };
  const { kind, userId, sessionId, email, byKey, claims } = principal;
  return { kind, userId, sessionId, email, byKey, claims };
}

/** The routes of test/e2e/guards/decorators.spec.ts. */
@Controller('table')
class TableController {
  @Get('public')
  @Public()
  public(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('authenticated')
  @Authenticated()
  authenticated(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('own')
  @Resource('auth.orders')
  own(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('me')
  @Resource('auth.me')
  me(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('orders')
  @Resource('acme.orders.list')
  orders(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('people')
  @Resource('acme.people.list')
  people(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }
}

@Controller('orders')
@Resource('acme.orders.list')
class OrdersController {
  @Get('inherited')
  inherited(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('public')
  @Public()
  public(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('authenticated')
  @Authenticated()
  authenticated(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }
}

@Controller('signed-in')
@Authenticated()
class SignedInController {
  @Get('inherited')
  inherited(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }

  @Get('orders')
  @Resource('acme.orders.list')
  orders(@CurrentPrincipal() principal: RemotePrincipal): object {
    return seen(principal);
  }
}

const { LINTEL_ISSUER = '', LINTEL_URL = '', LINTEL_KEY = '' } = process.env;

@Module({
  imports: [LintelGuardModule.forRoot({ issuer: LINTEL_ISSUER, url: LINTEL_URL, key: LINTEL_KEY })],
  controllers: [TableController, OrdersController, SignedInController],
})
class ServiceModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(ServiceModule, { logger: ['error'] });
  await app.listen(0, '127.0.0.1');
  console.log(await app.getUrl());
}

void main();
