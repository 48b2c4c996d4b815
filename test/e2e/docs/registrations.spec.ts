import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, makeConsumer } from '../../support/own-application.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { APPLICATION_PAGES, readPage, shownFiles } from '../../support/shell-page.js';

jest.setTimeout(180_000);

const MODULES = ['badges', 'banner', 'branches', 'reminders', 'safe'];
const SHOWN = shownFiles(readPage(...APPLICATION_PAGES));
/** The files of the pages, and an application around them with a route to the banner. */
const FILES = {
  ...Object.fromEntries(MODULES.map((name) => [`src/${name}.module.ts`, SHOWN[`src/${name}.module.ts`] ?? ''])),
  'src/probe.module.ts': `import { Controller, Get, Module, Param, Post } from '@nestjs/common';
    import { Resource } from 'lintel';
    import { Banner, BannerModule } from './banner.module.js';
    import { Safe, SafeModule } from './safe.module.js';
    @Controller('api/probe')
    class ProbeController {
      constructor(private readonly banner: Banner, private readonly safe: Safe) {}
      @Get() @Resource('auth.probe') async get() { return { text: await this.banner.get() }; }
      @Post('safe') @Resource('auth.probe') async put() { return { id: await this.safe.put({ pin: 4711 }) }; }
      @Get('safe/:id') @Resource('auth.probe') async open(@Param('id') id: string) { return { content: await this.safe.get(id) }; }
      @Post(':text') @Resource('auth.probe') async set(@Param('text') text: string) { await this.banner.set(text); return {}; }
    }
    @Module({ imports: [BannerModule, SafeModule], controllers: [ProbeController] })
    export class ProbeModule {}`,
  'src/modules.ts': `import { BadgesModule } from './badges.module.js';
    import { BranchesModule } from './branches.module.js';
    import { ProbeModule } from './probe.module.js';
    import { RemindersModule } from './reminders.module.js';
    export const modules = [BadgesModule, BranchesModule, RemindersModule, ProbeModule];`,
  'src/definition.ts': `import { defineApp } from 'lintel';
    import { modules } from './modules.js';
    export const definition = defineApp({ modules });`,
  'src/main.ts': `import { run } from 'lintel';
    import { definition } from './definition.js';
    await run(definition);`,
};
const NOTE = { name: 'note', namespace: 'notes', label_field: 'title', fields: [{ type: 'string', name: 'title' }] };

describe('registrations of the modules in docs/guides/extending', () => {
  const place = useServiceHome({ commandsInOneProcess: 'dist/definition.js' });
  const boss = { email: 'boss@example.com', password: 'pebble orchard 12' };
  const program = (name: string): string => join(place.home.directory, 'dist', name);
  let service: Service;
  let root: string;
  let user: string;

  beforeAll(async () => {
    makeConsumer(place.home.directory, FILES);
    mkdirSync(join(place.home.dataDir, 'schemas'), { recursive: true });
    writeFileSync(join(place.home.dataDir, 'schemas/note.json'), JSON.stringify(NOTE));
    expect(compile(place.home.directory, Object.keys(FILES))).toEqual([]);
    service = await place.home.start({
      program: program('main.js'),
      env: { RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'info' },
    });
    const args = ['admin:create', '--email', boss.email, '--password', boss.password];
    expect((await place.home.run(args)).code).toBe(0);
    root = await signIn(service, boss);
    const person = newcomer();
    await signUp(service, person);
    user = await signIn(service, person);
  });

  afterAll(async () => {
    await service?.stop();
  });

  it('runs the job that a write enqueued', async () => {
    const { body } = await service.post<{ data: { id: string } }>('/api/content/notes', { title: 'hello' }, root);
    await service.says(new RegExp(`Think of the note ${body.data.id}`));
  });

  it('drops cache entries that a notification invalidates', async () => {
    const text = async () => (await service.get('/api/probe', user)).body;
    expect(await text()).toEqual({ text: '' });
    for (const wanted of ['one', 'two']) {
      expect((await service.post(`/api/probe/${wanted}`, {}, user)).status).toBe(201);
      expect(await text()).toEqual({ text: wanted });
    }
  });

  it('keeps a secret over a change of APP_KEY', async () => {
    const { body } = await service.post<{ id: string }>('/api/probe/safe', {}, user);
    expect((await service.get(`/api/probe/safe/${body.id}`, user)).body).toEqual({ content: { pin: 4711 } });
    const env = {
      APP_KEY: 'another key that is long enough to be one',
      APP_KEY_PREVIOUS: readFileSync(join(place.home.dataDir, 'app.key'), 'utf8').trim(),
    };
    const { code, stdout } = await place.home.run(['keys:rotate', '--dry-run', '--json'], { env });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { secrets: expect.arrayContaining([{ name: 'acme.safe', resealed: 1, unreadable: 0, left: 0 }]) },
    ]);
  });

  it('shows its table as records that root roles can write', async () => {
    const make = (token: string) => service.post('/api/content/branches', { name: 'Harbour' }, token);
    expect((await make(user)).status).toBe(403);
    expect(await make(root)).toMatchObject({ status: 201, body: { data: { name: 'Harbour' } } });
    expect(await make(root)).toMatchObject({
      status: 409,
      body: { data: { error: 'unique_violation', errors: [{ field: 'name' }] } },
    });
    const { body } = await service.get('/api/content/branches?filter={"name":"Harbour"}', root);
    expect(body).toMatchObject({ data: { total: 1 } });
    expect(JSON.stringify(body)).not.toContain('till');
  });

  it('signs in by its badge only', async () => {
    expect((await service.get('/api/auth/methods')).body).toMatchObject({ acme_badge: true });
    const { body } = await service.post<{ token: string }>('/api/acme/badge', { badge: 'f7a91c' });
    expect((await service.get('/api/auth/me', body.token)).body).toMatchObject({ email: boss.email });
    expect((await service.post('/api/acme/badge', { badge: 'f7a91d' })).body).toMatchObject({
      code: '401',
      data: { error: 'invalid_credentials' },
    });
  });
});
