import { Controller, Get, Module, Post } from '@nestjs/common';
import { DeclaresResources, Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

@Controller('test')
class NotesController {
  @Get('notes')
  @Resource('test.notes.list')
  list(): string[] {
    return [];
  }

  @Get('news')
  @Resource('test.news.list')
  news(): string[] {
    return [];
  }
}

@DeclaresResources('test.notes.list', 'test.news.list')
@Module({ controllers: [NotesController] })
class NotesModule {}

@Controller('test')
class UndeclaredController {
  @Get('undeclared')
  undeclared(): string {
    return '';
  }
}

@Module({ controllers: [UndeclaredController] })
class UndeclaredModule {}

@Controller('test')
class UnlimitedController {
  @Post('unlimited')
  @Public()
  unlimited(): string {
    return '';
  }
}

@Module({ controllers: [UnlimitedController] })
class UnlimitedModule {}

@Controller('test')
class TwinController {
  @Get('twins/:id')
  @Public()
  one(): string {
    return '';
  }

  @Get('twins/:name')
  @Public()
  other(): string {
    return '';
  }
}

@Module({ controllers: [TwinController] })
class TwinModule {}

describe('permissions', () => {
  const world = useTestApp({ modules: [NotesModule] });
  const seed = (name: string, permissions: [resource: string, value: string][], app = world.app) =>
    app
      .get(RoleSeeder)
      .seed([{ name, permissions: permissions.map(([resource, value]) => ({ resource, value, fields: null })) }]);

  afterEach(async () => {
    await seed('user', []);
    await seed('guest', []);
  });

  it('a resource is closed until a permission opens it, in the next request', async () => {
    const { token } = await signedIn(world.app);
    expect((await world.app.as(token).get('/test/notes').expect(403)).body.data).toEqual({
      error: 'permission_denied',
    });
    expect((await world.app.asGuest().get('/test/notes').expect(401)).body.data).toEqual({ error: 'token_missing' });
    await seed('user', [['test.notes.*', 'allow']]);
    await world.app.as(token).get('/test/notes').expect(200);
    await world.app.as(token).get('/test/news').expect(403);
    await world.app.asGuest().get('/test/notes').expect(401);
  });

  it('a prefix ends at a dot', async () => {
    const { token } = await signedIn(world.app);
    await seed(
      'user',
      [
        ['test.n*', 'allow'],
        ['test.notes', 'allow'],
        ['test.no.*', 'allow'],
      ].slice(1) as [string, string][],
    );
    await world.app.as(token).get('/test/notes').expect(403);
  });

  it('deny wins over allow, over all roles, and a record rule opens no route without records', async () => {
    const { token } = await signedIn(world.app, { roles: ['user', 'guest'] });
    await seed('user', [['test.*', 'allow']]);
    await world.app.as(token).get('/test/notes').expect(200);
    await seed('guest', [['test.notes.list', 'deny']]);
    await world.app.as(token).get('/test/notes').expect(403);
    await seed('guest', []);
    await seed('user', [['test.notes.list', 'record.owner == auth.id']]);
    await world.app.as(token).get('/test/notes').expect(403);
  });

  it('a rule opens a route to matching callers, and an invalid rule opens nothing', async () => {
    const { token } = await signedIn(world.app);
    const other = await signedIn(world.app, { roles: ['user', 'guest'] });
    const asks = async () => [
      (await world.app.as(token).get('/test/notes')).status,
      (await world.app.as(other.token).get('/test/notes')).status,
      (await world.app.asGuest().get('/test/notes')).status,
    ];
    await seed('user', [['test.*', `auth.email == '${other.person.email}'`]]);
    expect(await asks()).toEqual([403, 200, 401]);
    await seed('user', [['*', "'guest' in auth.roles"]]);
    expect(await asks()).toEqual([403, 200, 401]);
    const open = (await world.app.as(other.token).get('/api/auth/permissions').expect(200)).body.data.resources;
    expect(open).toContain('test.notes.list');
    await seed('user', [['test.notes.*', `now < timestamp('${world.app.clock.now().toISOString()}')`]]);
    expect(await asks()).toEqual([403, 403, 401]);
    await seed('guest', [['test.notes.*', "auth.id == ''"]]);
    expect(await asks()).toEqual([403, 403, 200]);
    for (const broken of [
      'Deny',
      'perhaps not',
      'auth.username == ""',
      'auth["username"] == ""',
      '[auth].exists(a, a.username == "")',
      '!has(auth.username)',
      "record.owner == ''",
      '1',
      'auth.roles[9] == ""',
      '',
    ]) {
      await seed('guest', [['test.notes.*', broken]]);
      await seed('user', [['*', broken]]);
      expect({ broken, asks: await asks() }).toEqual({ broken, asks: [403, 403, 401] });
    }
    await seed('guest', [['*', 'true']]);
    await seed('user', [['test.*', 'deny']]);
    expect(await asks()).toEqual([403, 403, 200]);
  });

  it('a permission of the guest role applies without a token, and not with an invalid one', async () => {
    await seed('guest', [['test.notes.list', 'allow']]);
    await world.app.asGuest().get('/test/notes').expect(200);
    await world.app.as('rubbish').get('/test/notes').expect(401);
  });

  it('the root role has all rights, and a change of roles applies to the next request', async () => {
    const { person, token } = await signedIn(world.app, { roles: ['admin'] });
    await world.app.as(token).get('/test/notes').expect(200);
    await world.app.get(RoleSeeder).seed([{ name: 'plain', permissions: [] }]);
    await world.app.database.query('DELETE FROM user_roles WHERE user_id = $1', [person.id]);
    await world.app.sql(`INSERT INTO change_notices (topic, key) VALUES ('user', $1)`, [person.id]);
    await new Promise((resolve) => setTimeout(resolve, 900));
    await world.app.as(token).get('/test/notes').expect(403);
    await world.app.as(token).get('/api/auth/me').expect(200);
  });

  it('a permission seeded on another instance applies here within a second', async () => {
    const { token } = await signedIn(world.app);
    await world.app.as(token).get('/test/notes').expect(403);
    const second = await world.app.secondInstance({ modules: [NotesModule] });
    await seed('user', [['test.notes.list', 'allow']], second);
    await new Promise((resolve) => setTimeout(resolve, 900));
    await world.app.as(token).get('/test/notes').expect(200);
    await second.stop();
  });

  it('users can access their own account unless a permission denies it', async () => {
    const { token } = await signedIn(world.app, { roles: [] });
    await world.app.as(token).get('/api/auth/me').expect(200);
    await seed('user', [['auth.me', 'deny']]);
    const other = await signedIn(world.app);
    await world.app.as(other.token).get('/api/auth/me').expect(403);
  });

  it.each([
    ['declares no access', UndeclaredModule, /UndeclaredController\.undeclared/],
    ['is public, writes, and has no limit', UnlimitedModule, /UnlimitedController\.unlimited/],
    ['has the shape of another', TwinModule, /twins/],
  ])('a route that %s stops the start', async (_name, module, message) => {
    await expect(TestApp.start({ modules: [module] })).rejects.toThrow(message);
  });
});
