import { Controller, Get, HttpCode, Module, Post, type Type } from '@nestjs/common';
import {
  CurrentPrincipal,
  DeclaresResources,
  Public,
  Resource,
} from '../../../src/identity/auth/access/access.decorators.js';
import { Access } from '../../../src/identity/auth/access/access.service.js';
import { AuthModule } from '../../../src/identity/auth/auth.module.js';
import type { Principal } from '../../../src/kernel/principal.types.js';
import { RateLimit } from '../../../src/platform/http/rate-limit/rate-limit.decorator.js';
import { signedIn } from '../../support/people.js';
import type { TestClient } from '../../support/test-client.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

@Controller('api/acme/kettles')
@Resource('acme.kettles')
class KettleController {
  constructor(private readonly access: Access) {}

  @Get()
  async list(@CurrentPrincipal() principal: Principal): Promise<object> {
    const may = await this.access.can(principal, 'acme.kettles.boil');
    return { kind: principal.kind, may, content: await this.access.can(principal, 'content.kettle.list') };
  }

  @Get('own')
  @Resource('auth.acme.kettles')
  own(): object {
    return {};
  }

  @Get('misspelt')
  async misspelt(@CurrentPrincipal() principal: Principal): Promise<boolean> {
    return this.access.can(principal, 'acme.ketles');
  }

  @Post()
  @Public()
  @HttpCode(200)
  @RateLimit({ points: 3, durationSeconds: 60 })
  boil(@CurrentPrincipal() { kind }: Principal): object {
    return { kind };
  }

  @Get(['tea', 'coffee'])
  @Public()
  @RateLimit({ points: 3, durationSeconds: 60 })
  pour(): object {
    return {};
  }
}

/** Inherits the routes of another controller. They use the resource of this class. */
@Controller('api/acme/big-kettles')
@Resource('acme.big')
class BigKettleController extends KettleController {}

/** The limit of the class applies to each of its routes. */
@Controller('api/acme/cups')
@RateLimit({ points: 2, durationSeconds: 60 })
class CupController {
  @Post()
  @Public()
  fill(): object {
    return {};
  }

  @Post('wash')
  @Public()
  wash(): object {
    return {};
  }

  @Post('break')
  @Public()
  @RateLimit({ points: 1, durationSeconds: 60 })
  break(): object {
    return {};
  }
}

@DeclaresResources('acme.kettles', 'acme.kettles.boil')
@Module({ imports: [AuthModule], controllers: [KettleController, BigKettleController, CupController] })
class KettleModule {}

describe('routes of the team', () => {
  const world = useTestApp({
    modules: [KettleModule],
    env: { RATE_LIMIT_ENABLED: 'true' },
    definition: {
      resources: ['acme.big', 'acme.elsewhere.*'],
      roles: [
        { role: 'carrier', description: 'Works in another service', allow: ['acme.elsewhere.*'] },
        { role: 'cook', description: 'Cooks', allow: ['acme.kettles', 'content.kettle.list'] },
        { role: 'boiler', description: 'Boils', allow: ['acme.kettles', 'acme.kettles.boil'] },
        { role: 'guest', allow: ['acme.kettles'] },
      ],
    },
  });

  it('have the limit of their controller, counted separately, unless they declare one', async () => {
    const statuses = async (path: string): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: 16 }, () => world.app.asGuest().post(path, {})));
      return answers.map(({ status }) => status).filter((status) => status === 201);
    };
    expect(await statuses('/api/acme/cups')).toHaveLength(2);
    expect(await statuses('/api/acme/cups/wash')).toHaveLength(2);
    expect(await statuses('/api/acme/cups/break')).toHaveLength(1);
  });

  it('have the resource of their controller, unless they declare one', async () => {
    const { token } = await signedIn(world.app, { roles: ['user'] });
    await world.app.as(token).get('/api/acme/kettles').expect(403);
    await world.app.as(token).get('/api/acme/kettles/own').expect(200);
    await world.app.asGuest().get('/api/acme/kettles/own').expect(401);
  });

  it('that are inherited have the resource of the inheriting controller', async () => {
    const cook = await signedIn(world.app, { roles: ['cook'] });
    await world.app.as(cook.token).get('/api/acme/kettles').expect(200);
    await world.app.as(cook.token).get('/api/acme/big-kettles').expect(403);
  });

  it('receive the principal, also guests, with its permissions', async () => {
    const ask = async (client: TestClient): Promise<unknown> =>
      (await client.get('/api/acme/kettles').expect(200)).body;
    const as = async (role: string): Promise<TestClient> =>
      world.app.as((await signedIn(world.app, { roles: [role] })).token);
    expect(await ask(await as('admin'))).toEqual({ kind: 'account', may: true, content: true });
    expect(await ask(await as('cook'))).toEqual({ kind: 'account', may: false, content: true });
    expect(await ask(await as('boiler'))).toEqual({ kind: 'account', may: true, content: false });
    expect(await ask(world.app.asGuest())).toEqual({ kind: 'guest', may: false, content: false });
  });

  it('report an undeclared resource as an error, not as forbidden', async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(token).get('/api/acme/kettles/misspelt').expect(500);
    expect(world.app.log.join('')).toContain('No module declares the resource acme.ketles. Check the spelling');
  });

  it('list the declared resources that the caller can access', async () => {
    const { token } = await signedIn(world.app, { roles: ['boiler'] });
    const { body } = await world.app.as(token).get('/api/auth/permissions').expect(200);
    const own = (body.data.resources as string[]).filter((name) => name.startsWith('acme.'));
    expect(own).toEqual(['acme.kettles', 'acme.kettles.boil']);
  });

  it('have their own limits, counted separately and documented', async () => {
    const send = async (method: 'get' | 'post', path = ''): Promise<number> => {
      const url = `/api/acme/kettles${path}`;
      const answer = method === 'get' ? world.app.asGuest().get(url) : world.app.asGuest().post(url, {});
      return (await answer).status;
    };
    const posts = await Promise.all(Array.from({ length: 16 }, () => send('post')));
    expect(posts.filter((status) => status === 200)).toHaveLength(3);
    expect(posts.filter((status) => status === 429)).toHaveLength(13);
    expect([await send('get', '/tea'), await send('get', '/coffee')]).toEqual([200, 200]);
    expect([await send('get', '/tea'), await send('get', '/coffee'), await send('get', '/tea')]).toEqual([
      200, 429, 429,
    ]);
    world.app.clock.advance(61);
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const { body } = await world.app.as(token).get('/api/openapi.json').expect(200);
    expect(Object.keys(body.paths['/api/acme/kettles'].post.responses)).toContain('429');
  });
});

describe('an invalid route', () => {
  const fault = async (controller: Type, resources: string[] = []): Promise<string> => {
    @Module({ controllers: [controller] })
    class FaultyModule {}
    try {
      await (await TestApp.start({ modules: [FaultyModule], definition: { resources } })).stop();
    } catch (error) {
      expect((error as Error).name).toBe('DefinitionError');
      return (error as Error).message;
    }
    throw new Error('It started.');
  };

  it.each([
    ['acme.ordres.get', 'which no module declares: check the spelling, or add it to resources of the definition'],
    ['acme', 'which no module declares: check the spelling, or add it to resources of the definition'],
    ['acme..pans ', 'which is not a valid resource name: use a dotted name such as acme.orders.get'],
    ['', 'which is not a valid resource name: use a dotted name such as acme.orders.get'],
  ])('with the resource %j stops the start', async (name, sentence) => {
    @Controller('api/acme/pans')
    @Resource(name)
    class PanController {
      @Get() list(): object {
        return {};
      }
    }
    expect(await fault(PanController, ['acme.orders.get'])).toBe(
      `Routes are not declared:\n  - PanController.list has @Resource('${name}'), ${sentence}`,
    );
  });

  it.each([
    [['acme..x'], '"acme..x" is not a valid resource name. Use a dotted name such as acme.orders.get.'],
    [['*'], '"*" is not a valid resource name. Use a dotted name such as acme.orders.get.'],
    [['acme.x', 'acme.x'], 'TheDefinition declares the resource acme.x twice. Keep one of them.'],
  ])('with %j stops the start', async (resources, sentence) => {
    @Controller('api/acme/pans')
    class PanController {
      @Get() @Resource('auth.pans') list(): object {
        return {};
      }
    }
    expect(await fault(PanController, resources)).toBe(sentence);
  });

  it('is not made public by its controller', async () => {
    @Controller('api/acme/pans')
    @(Public() as unknown as ClassDecorator)
    class PanController {
      @Get() list(): object {
        return {};
      }
    }
    expect(await fault(PanController)).toContain('PanController.list has no @Public(), @Authenticated() or @Resource');
  });

  it.each([
    { points: 0, durationSeconds: 60 },
    { points: 1.5, durationSeconds: 60 },
    { points: 5, durationSeconds: Number.NaN },
  ])('with the limit %j stops the start', async (limit) => {
    @Controller('api/acme/pans')
    class PanController {
      @Post() @Public() @RateLimit(limit) fry(): object {
        return {};
      }
    }
    expect(await fault(PanController)).toContain(
      'PanController.fry has a @RateLimit with numbers that are not whole or are below 1',
    );
  });

  it('with the path of another route stops the start', async () => {
    @Controller('api/acme/pans')
    class PanController {
      @Get(':id') @Resource('auth.pans') one(): object {
        return {};
      }
      @Get(':name') @Resource('auth.pans') other(): object {
        return {};
      }
    }
    expect(await fault(PanController)).toBe(
      'Two routes match the same requests: GET /api/acme/pans/:id and GET /api/acme/pans/:name. Change the path of one of them.',
    );
  });
});
