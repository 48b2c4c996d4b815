import { Body, Controller, Get, Injectable, Module, Param, Post, Query, type Type } from '@nestjs/common';
import { Mutation, Query as GraphQuery, ResolveField, ResolveReference, Resolver } from '@nestjs/graphql';
import { EventPattern, GrpcMethod, MessagePattern } from '@nestjs/microservices';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { IsInt } from 'class-validator';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { Field, requiredText } from '../../../src/platform/http/input/field.decorator.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { describeStartupError } from '../../../src/application/startup-errors.js';
import { TestApp } from '../../support/test-app.js';

async function startOf(parts: { readonly controllers?: Type[]; readonly providers?: object[] }): Promise<string> {
  @Module(parts as object)
  class AcmeModule {}
  try {
    await (await TestApp.start({ modules: [AcmeModule] })).stop();
  } catch (error) {
    return describeStartupError(error);
  }
  return 'It started.';
}

@Resolver()
class QueryResolver {
  @GraphQuery(() => String)
  soup(): string {
    return 'soup';
  }
}

@Resolver('Order')
class FieldResolver {
  @ResolveField('soups', () => [String])
  soups(): string[] {
    return [];
  }
}

@Resolver('Order')
class ReferenceResolver {
  @ResolveReference()
  find(): object {
    return {};
  }
}

/** A public mutation in a class without `@Resolver`. */
@Injectable()
class BareMutation {
  @Mutation(() => String)
  @Public()
  cook(): string {
    return 'soup';
  }
}

@WebSocketGateway()
class SoupGateway {
  @SubscribeMessage('soups')
  soups(): string {
    return 'soup';
  }
}

@Controller()
class MessageController {
  @MessagePattern('soups')
  soups(): string {
    return 'soup';
  }
}

@Controller('api/acme/mixed')
class MixedController {
  @Get()
  @Public()
  list(): object {
    return {};
  }

  @EventPattern('soups.cooked')
  cooked(_soup: object): void {}
}

@Controller()
class GrpcController {
  @GrpcMethod('Soups', 'List')
  list(): object {
    return {};
  }
}

@Injectable()
class OtherGateway extends SoupGateway {}

describe('a class with handlers other than HTTP', () => {
  it.each([
    [QueryResolver, 'a GraphQL resolver', 'providers'],
    [FieldResolver, 'a GraphQL resolver', 'providers'],
    [ReferenceResolver, 'a GraphQL resolver', 'providers'],
    [BareMutation, 'a GraphQL resolver', 'providers'],
    [SoupGateway, 'a WebSocket gateway', 'providers'],
    [OtherGateway, 'a WebSocket gateway', 'providers'],
    [MessageController, 'a handler of microservice messages', 'controllers'],
    [MixedController, 'a handler of microservice messages', 'controllers'],
    [GrpcController, 'a handler of microservice messages', 'controllers'],
  ])('%p stops the start with one message', async (type, kind, list) => {
    expect(await startOf({ [list]: [type] })).toBe(
      `${type.name} is ${kind}, and a definition supports HTTP requests only. Move it to the application that imports LintelModule, and authenticate there with Application.authenticate().`,
    );
  });

  it.each([
    ['a factory', { provide: 'soup', useFactory: () => new QueryResolver() }],
    ['a value', { provide: 'soup', useValue: new QueryResolver() }],
    ['a class', { provide: 'soup', useClass: QueryResolver }],
  ])('stops the start if it is provided by %s', async (_how, provider) => {
    expect(await startOf({ providers: [provider] })).toMatch(/^QueryResolver is a GraphQL resolver/);
  });
});

class NothingChecked {
  soups: number;
}

class Inherits extends NothingChecked {}

class Declares {
  @IsInt() soups: number;
}

class DeclaresOurs {
  @Field(requiredText(10)) soup: string;
}

class InheritsDeclared extends Declares {}

@Controller('api/acme/orders')
class BodyController {
  @Post()
  @Public()
  @RateLimit('general')
  order(@Body() body: NothingChecked): object {
    return body;
  }
}

@Controller('api/acme/orders')
class InheritedBodyController {
  @Post()
  @Public()
  @RateLimit('general')
  order(@Query('note') _note: string, @Body() body: Inherits): object {
    return body;
  }
}

@Controller('api/acme/orders')
class QueryController {
  @Get()
  @Public()
  list(@Query() query: NothingChecked): object {
    return query;
  }
}

@Controller('api/acme/orders')
class PathController {
  @Get(':soups')
  @Public()
  find(@Param() path: NothingChecked): object {
    return path;
  }
}

@Controller('api/acme/orders')
class MemberController {
  @Post()
  @Public()
  @RateLimit('general')
  order(@Body('order') body: NothingChecked): object {
    return body;
  }
}

@Controller('api/acme/orders')
class GoodController {
  @Post('classes')
  @Public()
  @RateLimit('general')
  classes(@Body() body: InheritsDeclared, @Query() _query: DeclaresOurs): object {
    return body;
  }

  @Post('unchecked/:id')
  @Public()
  @RateLimit('general')
  unchecked(@Body() body: { readonly soups: number }, @Param('id') _id: string, @Query('at') _at: number): object {
    return body;
  }

  @Post('members')
  @Public()
  @RateLimit('general')
  members(@Body('list') list: string[], @Body('since') _since: Date): object {
    return { list };
  }
}

describe('an input class without a declared field', () => {
  const ADVICE = 'which declares no field: add @Field() or decorators of class-validator to each field.';

  it.each([
    [BodyController, 'order uses NothingChecked for its body'],
    [InheritedBodyController, 'order uses Inherits for its body'],
    [MemberController, 'order uses NothingChecked for its body'],
    [QueryController, 'list uses NothingChecked for its query'],
    [PathController, 'find uses NothingChecked for its path parameters'],
  ])('stops the start: %p', async (controller, place) => {
    expect(await startOf({ controllers: [controller] })).toBe(`${controller.name}.${place}, ${ADVICE}`);
  });

  it('is distinguished from declared fields and from unvalidated types', async () => {
    expect(await startOf({ controllers: [GoodController] })).toBe('It started.');
  });
});
