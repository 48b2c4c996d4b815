import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordTypes } from '../../../src/data/schema/api/record-types.js';
import { compile, makeConsumer } from '../../support/own-application.js';
import { snapshotOf } from '../../support/schema-definitions.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { APPLICATION_PAGES, readPage, shownFiles } from '../../support/shell-page.js';

jest.setTimeout(180_000);

const FILES = shownFiles(readPage(...APPLICATION_PAGES));
/** Uses the embedded application of the pages. */
const EMBEDDER = `import { start } from './embedded.js';
const { url, application } = await start({ ...process.env, LOG_LEVEL: 'warn' });
const send = async (path, body) => (await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
const password = 'sturdy walnut 47';
await send('/api/auth/local/register', { email: 'eve@example.com', password, password_confirmation: password });
const { token } = await send('/api/auth/local/login', { login: 'eve@example.com', password });
const headers = { authorization: 'Bearer ' + token };
const { roles } = await (await fetch(url + '/api/auth/me', { headers })).json();
const { status } = await fetch(url + '/api/content/notes');
console.log(JSON.stringify({ roles, status }));
await application.close();
`;
/** Serves the host application of the pages. */
const HOST = `import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { HostModule } from './host.js';
const host = await NestFactory.create(HostModule, new FastifyAdapter(), { logger: false });
await host.listen(0, '127.0.0.1');
const get = async (path) => (await fetch((await host.getUrl()) + path)).text();
console.log(JSON.stringify({ own: await get('/kitchen/recipes/all'), lintel: await get('/api/content/recipes'), nothing: await get('/nowhere') }));
await host.close();
`;
const NOTE = { name: 'note', namespace: 'notes', label_field: 'title', fields: [{ type: 'string', name: 'title' }] };
const RECIPE = { ...NOTE, name: 'recipe', namespace: 'recipes' };

/** Enables one of the providers that the application defines. */
const AUTH = JSON.stringify({
  enabled_providers: ['discord'],
  providers: { discord: { client_id: 'acme', client_secret: 'sesame' } },
});

describe('the application of docs/guides/extending', () => {
  const place = useServiceHome({ commandsInOneProcess: 'dist/definition.js' });
  const person = newcomer();
  let service: Service;
  const program = (name: string): string => join(place.home.directory, 'dist', name);

  beforeAll(() => {
    const api = recordTypes(snapshotOf([NOTE, RECIPE]));
    makeConsumer(place.home.directory, { ...FILES, 'src/api.ts': api, 'schemas/recipe.json': JSON.stringify(RECIPE) });
    mkdirSync(join(place.home.dataDir, 'schemas'), { recursive: true });
    writeFileSync(join(place.home.dataDir, 'schemas/note.json'), JSON.stringify(NOTE));
  });

  afterAll(() => service?.stop());

  it('compiles under strict settings, as shown on the page', () => {
    expect(Object.keys(FILES).sort()).toEqual([
      'src/acme-files.ts',
      'src/acme-hasher.ts',
      'src/acme-limits.test.ts',
      'src/acme-limits.ts',
      'src/acme-mail.ts',
      'src/badges.module.ts',
      'src/banner.module.ts',
      'src/branches.module.ts',
      'src/definition.ts',
      'src/embedded.ts',
      'src/host.ts',
      'src/invitation-mail.module.ts',
      'src/invitations.module.ts',
      'src/main.ts',
      'src/menu.module.ts',
      'src/notes.module.ts',
      'src/orders.module.ts',
      'src/providers.ts',
      'src/rank.function.ts',
      'src/reminders.module.ts',
      'src/safe.module.ts',
      'src/sign-in-life.module.ts',
      'src/sign-up.module.ts',
      'src/stock.module.ts',
      'src/token-claims.module.ts',
    ]);
    for (const text of Object.values(FILES)) expect(text).not.toMatch(/'lintel\/(?!testing')/);
    expect(compile(place.home.directory, Object.keys(FILES))).toEqual([]);
  });

  it('passes the contracts of its ports', () => {
    const { stdout, status } = spawnSync(process.execPath, ['--test', program('acme-limits.test.js')], {
      cwd: place.home.directory,
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect({ stdout, status }).toEqual({ stdout: expect.stringMatching(/^(#|ℹ) pass 16$/m), status: 0 });
  });

  it('does not compile with an unknown schema or field, or without a principal', () => {
    const wrong = `import { type Content, OnUserRegistered } from 'lintel';
      import './menu.module.js';
      export const a = (content: Content) => content.as('system').schema('recpie');
      export const b = (content: Content) => content.as('system').schema('recipe').create({ titel: 'x' });
      export const c = (content: Content) => content.schema('recipe');
      export const d = (content: Content) => content.as('system').schema('recipe').list({ sort: 'colour' });
      export const e = (content: Content) => content.as('system').schema('session').create({});
      export const f = (content: Content) => content.as('system').schema('recipe').updateMany({ colour: 'red' }, { title: 'x' });
      export const g = (content: Content) => content.as('system').schema('recipe').createMany([{ titel: 'x' }]);
      class Still { @OnUserRegistered() static hear(): void {} }
      export const h = Still;`;
    writeFileSync(join(place.home.directory, 'src/wrong.ts'), wrong);
    const complaints = compile(place.home.directory, ['src/wrong.ts']);
    expect(complaints).toHaveLength(8);
    expect(complaints.every((one) => one.includes('src/wrong.ts'))).toBe(true);
  });

  it('starts like the service: accounts have their roles, schema files are applied', async () => {
    service = await place.home.start({ program: program('main.js'), env: { AUTH, RATE_LIMIT_ENABLED: 'false' } });
    expect(service.stdout).toContain('    admin:create --email you@example.com');
    expect(service.stdout).not.toContain('npm run cli');
    await signUp(service, person);
    const token = await signIn(service, person);
    const { body } = await service.get('/api/auth/me', token);
    expect(body).toMatchObject({ roles: ['user'], username: `user-${person.email.split('@')[0]}` });
    expect((await service.get('/api/content/notes')).body).toMatchObject({ data: { error: 'token_missing' } });
    expect((await service.get('/api/content/nothing', token)).body).toMatchObject({ code: '403' });
  });

  it('calls its hooks and its policy', async () => {
    const password = 'sturdy walnut 47';
    const register = (email: string) =>
      service.post('/api/auth/local/register', { email, password, password_confirmation: password });
    expect((await register('ann@acme.example')).body).toEqual({
      code: '400',
      message: 'Please use "Sign in with Google".',
      data: { error: 'registration_rejected' },
    });
    expect((await register('ann@trash.example')).body).toMatchObject({ data: { error: 'email_domain_blocked' } });
  });

  it('creates accounts that can sign in, with its own command', async () => {
    const args = ['admin:create', '--email', 'boss@example.com', '--password', 'pebble orchard 12'];
    const made = await place.home.run(args, { program: program('main.js') });
    expect(made).toEqual({ code: 0, stdout: 'boss@example.com is an administrator.\n', stderr: '' });
    const boss = { email: 'boss@example.com', password: 'pebble orchard 12' };
    const token = await signIn(service, boss);
    expect((await service.get('/api/auth/me', token)).body).toMatchObject({ roles: ['admin', 'user'] });
    const reset = ['user:reset-password', person.email, '--password', 'pebble orchard 13'];
    expect((await place.home.run(reset)).code).toBe(0);
    await signIn(service, { ...person, password: 'pebble orchard 13' });
  });

  it('serves its routes to permitted callers', async () => {
    const order = (soups: unknown) => service.post('/api/acme/orders', { soups });
    expect(await order(2)).toMatchObject({ status: 201, body: { soups: 2 } });
    expect(await order('two')).toMatchObject({ status: 422, body: { data: { error: 'validation_failed' } } });
    expect((await order(11)).body).toEqual({
      code: '409',
      message: 'Ten soups are left.',
      data: { error: 'out_of_stock' },
    });
    const boss = await signIn(service, { email: 'boss@example.com', password: 'pebble orchard 12' });
    const user = await signIn(service, { ...person, password: 'pebble orchard 13' });
    const get = async (path: string, token?: string) => (await service.get(`/api/acme/orders/${path}`, token)).body;
    expect(await get('mine', user)).toEqual({ of: person.email });
    expect(await get('mine')).toMatchObject({ code: '401' });
    expect(await get('7', user)).toMatchObject({ data: { error: 'permission_denied' } });
    expect(await get('7', boss)).toEqual({ id: 7 });
    expect(await get('8', boss)).toEqual({
      code: '404',
      message: 'There is no order 8.',
      data: { error: 'not_found' },
    });
    expect(await get('soup', boss)).toMatchObject({ code: '400', data: { error: 'bad_request' } });
  });

  it('has its own tables, schemas, grants, variables, errors and commands', async () => {
    const user = await signIn(service, { ...person, password: 'pebble orchard 13' });
    expect((await service.get('/api/acme/soups', user)).body).toEqual({
      code: '409',
      message: 'There is no soup left.',
      data: { error: 'acme_out_of_stock', pots: 4 },
    });
    const main = { program: program('main.js') };
    expect(await place.home.run(['acme:count'], main)).toEqual({ code: 0, stdout: '0 soups\n', stderr: '' });
    expect((await place.home.run(['acme:count', 'leek', '--json'])).stdout).toBe('{\n  "soups": 0\n}\n');
    const { stdout: help } = await place.home.run(['--help'], main);
    expect(help).toMatch(/^Usage: main\.js /);
    expect(help).toMatch(/acme:count .*count the soups[^]*KITCHEN_POTS +pots on the stove/);
    expect((await place.home.run(['config:check'])).stdout).toMatch(/^KITCHEN_POTS +4 +default$/m);
    const faults = await place.home.run(['config:check'], { env: { KITCHEN_POTS: '0', PORT: 'x' } });
    expect(faults.stderr).toMatch(/- PORT must [^]*- KITCHEN_POTS must be a whole number from 1 to 20/);
    expect((await place.home.run(['migrate:down'])).stderr).toBe(
      'Specify the owner of the migration: --of app or --of service.\n',
    );
    const { stdout: status } = await place.home.run(['migrate:status']);
    expect(status).toMatch(/^Soups1795300000000 +applied$/m);
    const boss = await signIn(service, { email: 'boss@example.com', password: 'pebble orchard 12' });
    expect((await service.post('/api/content/recipes', { title: 'Leek soup' }, boss)).status).toBe(201);
  });

  it('reads and writes records from code, as a user and as itself, with its own tables or not at all', async () => {
    const user = await signIn(service, { ...person, password: 'pebble orchard 13' });
    const boss = await signIn(service, { email: 'boss@example.com', password: 'pebble orchard 12' });
    const add = (title: unknown) => service.post('/api/acme/menu', { title }, boss);
    expect(await add('Onion soup')).toMatchObject({ status: 201, body: { id: expect.any(String) } });
    expect((await service.get('/api/acme/menu', boss)).body).toContain('Onion soup');
    expect((await service.get('/api/acme/menu', user)).body).toMatchObject({ data: { error: 'permission_denied' } });
    expect((await add('Onion soup')).status).toBe(500);
    expect(await add('x'.repeat(300))).toMatchObject({ status: 400, body: { data: { error: 'field_invalid' } } });
    const { body: menu } = await service.get<string[]>('/api/acme/menu', boss);
    expect(menu.filter((title) => title !== 'Leek soup')).toEqual(['Onion soup']);
    expect((await service.get('/api/acme/soups', user)).body).toEqual([{ name: 'Onion soup', bowls: 6 }]);
  });

  it('redirects users to its providers, and reports missing settings', async () => {
    expect((await service.get('/api/auth/methods')).body).toMatchObject({ providers: ['discord'] });
    const answer = await fetch(`${service.url}/api/auth/discord/login`, { redirect: 'manual' });
    const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '');
    expect(origin + pathname).toBe('https://discord.com/oauth2/authorize');
    expect(searchParams.get('scope')).toBe('identify email');
    const check = async (settings: object) => {
      const okta = { client_id: 'acme', client_secret: 'sesame', ...settings };
      const env = { AUTH: JSON.stringify({ enabled_providers: ['okta'], providers: { okta } }) };
      return place.home.run(['config:check'], { env });
    };
    expect((await check({})).stderr).toContain('- AUTH.providers.okta.domain must be set');
    expect((await check({ domain: 'acme.example' })).stderr).toContain(
      '- AUTH.providers.okta.domain must be a domain of Okta',
    );
    expect((await check({ domain: 'acme.okta.com' })).code).toBe(0);
  });

  it('calls its record hooks', async () => {
    const boss = await signIn(service, { email: 'boss@example.com', password: 'pebble orchard 12' });
    const made = await service.post('/api/content/notes', { title: '  hello ' }, boss);
    expect(made.body).toMatchObject({ data: { title: 'hello' } });
    expect((await service.post('/api/content/notes', { title: ' nothing' }, boss)).body).toEqual({
      code: '403',
      message: 'Say something.',
      data: { error: 'permission_denied' },
    });
  });

  it('validates its configuration before the start, and stops in order', async () => {
    const wrong = place.home.spawn({ program: program('main.js'), env: { MAIL_URL: 'http://mail.example' } });
    expect(await wrong.exit).toEqual({ code: 1, signal: null });
    expect(wrong.stderr).toMatch(/^The configuration is not valid:\n {2}- MAIL_URL /);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('can be created inside another program', () => {
    writeFileSync(join(place.home.directory, 'dist/embedder.js'), EMBEDDER);
    const { PATH, HOME } = process.env;
    const { stdout, stderr, status } = spawnSync(process.execPath, [program('embedder.js')], {
      cwd: place.home.directory,
      env: { PATH, HOME, ...place.home.env },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: '{"roles":["user"],"status":401}\n', stderr: '', status: 0 });
  });

  it('can be mounted in an existing application', () => {
    writeFileSync(join(place.home.directory, 'dist/host-main.js'), HOST);
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...place.home.env, LOG_LEVEL: 'warn' };
    const options = { cwd: place.home.directory, env, encoding: 'utf8', timeout: 60_000 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [program('host-main.js')], options);
    expect({ stderr, ...(JSON.parse(stdout) as object) }).toEqual({
      stderr: '',
      own: expect.stringMatching(/^\{"kind":"all","recipes":\d+\}$/) as string,
      lintel: expect.stringContaining('"token_missing"') as string,
      nothing: '{"message":"Cannot GET /nowhere","error":"Not Found","statusCode":404}',
    });
  });

  it('stops the start with one message if its definition is invalid', async () => {
    copyFileSync(program('definition.js'), program('definition.good.js'));
    const broken = `import { AcmeHasher } from './acme-hasher.js';
      export const definition = { ports: { hasher: AcmeHasher } };`;
    writeFileSync(program('definition.js'), broken);
    const sentence =
      'ports.hasher is not a port. The ports are clock, fileScanner, fileStorage, mailTransport, mailer, oneTimeSecrets, passwordHasher, rateLimitStore, secondFactor.\n';
    for (const args of [[], ['roles:seed']]) {
      const ended = place.home.spawn({ program: program('main.js'), args });
      expect((await ended.exit).code).toBe(1);
      expect(ended.stderr).toBe(sentence);
      expect(ended.stdout).toBe('');
    }
    copyFileSync(program('definition.good.js'), program('definition.js'));
  });
});
