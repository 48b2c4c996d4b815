import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common';
import { RouteAccessInspector } from '../../../src/identity/auth/auth.public.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeKey } from '../../support/api-keys.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { createPerson, type Person, signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const HEADER = 'lintel-view-as';
const ME = '/api/auth/me';
const EXPORT = '/api/auth/me/export';
const WIDE = [
  { resource: 'content.post.*', value: 'record.status == "published" || record.owner.id == auth.id' },
  { resource: 'content.post.list', value: 'allow', fields: { read: ['id', 'title'] } },
  { resource: 'content.category.*', value: 'allow' },
  { resource: 'content.user.*', value: 'record.id == auth.id' },
  { resource: 'content.session.list', value: 'allow' },
  { resource: 'schema.*', value: 'allow' },
  { resource: 'settings.get', value: 'allow' },
  { resource: 'mails.*', value: '"local" in auth.amr || auth.level == 1' },
].map((permission) => ({ fields: null, ...permission }));

describe('Lintel-View-As', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;
  let person: Person;
  let own: TestClient;
  let post: string;

  beforeAll(async () => {
    ({ root, rootId } = await makeMagazine(world.app));
    await world.app.get(RoleSeeder).seed([
      { name: 'wide', permissions: WIDE },
      { name: 'guest', permissions: [{ resource: 'content.category.list', value: 'allow', fields: null }] },
    ]);
    const signed = await signedIn(world.app, { roles: ['wide'] });
    ({ person } = signed);
    own = world.app.as(signed.token);
    const posts = [
      { title: 'draft' },
      { title: 'published', status: 'published' },
      { title: 'own', owner: { id: person.id } },
    ];
    const made = await root.post('/api/content/post', posts).expect(201);
    post = (made.body as { data: { id: string }[] }).data[2]!.id;
    await root.post('/api/content/category', { name: 'one', title: 'one' });
  });

  const as = (viewed: string, path: string) => root.get(path).set(HEADER, viewed);
  const answered = ({ status, text }: { status: number; text: string }) => ({ status, text });

  /** Returns the address of every `GET` route, with parameters of existing records. */
  const paths = (): string[] => {
    const known: Record<string, string> = { schema: 'post', id: post, name: 'post', provider: 'google' };
    return world.app
      .get(RouteAccessInspector)
      .list()
      .filter(({ method }) => method === RequestMethod.GET)
      .flatMap(({ controller, name }) => {
        const handler = (controller.prototype as Record<string, object>)[name]!;
        expect(Reflect.getMetadata(METHOD_METADATA, handler)).toBe(RequestMethod.GET);
        const [base, own] = [controller, handler].map((of) =>
          [Reflect.getMetadata(PATH_METADATA, of) as string | string[]].flat(),
        );
        return base!.flatMap((front) => own!.map((back) => `/${front}/${back}`));
      })
      .map((path) =>
        path
          .replaceAll(/\/+/g, '/')
          .replace(/(.)\/$/, '$1')
          .replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? post),
      );
  };

  it('returns on every GET route the bytes that the token of that user gets', async () => {
    const all = paths();
    expect(all.length).toBeGreaterThan(35);
    expect(all).toEqual(
      expect.arrayContaining([ME, '/api/content/post', '/api/auth/permissions', '/api/openapi.json']),
    );
    const opened: string[] = [];
    for (const path of all) {
      const viewed = await as(`user:${person.id}`, path);
      const theirs = await own.get(path);
      expect(viewed.status).toBeLessThan(500);
      // An export would be logged as a request of the viewed user.
      if (path === EXPORT) expect(viewed.status).toBe(403);
      else expect({ path, ...answered(viewed) }).toEqual({ path, ...answered(theirs) });
      if (viewed.headers[HEADER] === `user:${person.id}` && viewed.status === 200) opened.push(path);
    }
    expect(opened.length).toBeGreaterThan(12);
  });

  it('returns what a guest or an account with one role gets, without a 500', async () => {
    const someone = world.app.as((await signedIn(world.app, { roles: ['wide'] })).token);
    for (const path of paths().filter((one) => one !== EXPORT)) {
      expect({ path, ...answered(await as('guest', path)) }).toEqual({
        path,
        ...answered(await world.app.asGuest().get(path)),
      });
      expect((await as('role:wide', path)).status).toBeLessThan(500);
    }
    for (const path of ['/api/content/post?sort=title', '/api/content/category', '/api/schema', '/api/content/tag'])
      expect(answered(await as('role:wide', path))).toEqual(answered(await someone.get(path)));
    const { body } = await as('role:wide', '/api/auth/permissions').expect(200);
    expect(body).toMatchObject({ data: { root: false, roles: ['wide'] } });
  });

  it('sees an account without a session as if it had just signed in', async () => {
    const other = await createPerson(world.app, { roles: ['wide'] });
    const { body } = await as(`user:${other.id}`, ME).expect(200);
    expect(body).toMatchObject({ id: other.id });
    await as(`user:${other.id}`, '/api/mails').expect(200);
  });

  it('changes nothing, with any method, route and header spelling', async () => {
    const posts = async (): Promise<unknown> => (await root.get('/api/content/post').expect(200)).body;
    const before = await posts();
    const requests = [
      root.post('/api/content/post', { title: 'x' }),
      root.patch(`/api/content/post/${post}`, { title: 'x' }),
      root.put(`/api/content/post/${post}`, { title: 'x' }),
      root.delete(`/api/content/post/${post}`),
      root.post('/api/batch', { operations: [] }),
      root.post('/api/schema', {}),
      root.delete('/api/schema/post'),
      root.post('/api/auth/logout'),
      root.post('/api/auth/local/login', { login: person.email, password: person.password }),
      root.post('/api/auth/keys', { name: 'x' }),
      world.app.asGuest().post('/api/auth/local/register', {}),
    ];
    for (const [at, request] of requests.entries()) {
      const header = ['Lintel-View-As', 'LINTEL-VIEW-AS', HEADER][at % 3]!;
      const { status, body } = await request.set(header, at % 2 === 0 ? `user:${person.id}` : 'nonsense');
      expect([status, (body as { data: { error: string } }).data.error]).toEqual([403, 'view_as_read_only']);
    }
    expect(await posts()).toEqual(before);
    await root.get(ME).expect(200);
  });

  it('allows plans and checks, as that user', async () => {
    const body = { name: 'note', namespace: 'notes', label_field: 'text', fields: [{ name: 'text', type: 'string' }] };
    for (const path of ['/api/schema/plan', '/api/schema/validate']) {
      await root.post(path, body).set(HEADER, `user:${person.id}`).expect(200);
      await root.post(path, body).set(HEADER, 'guest').expect(401);
    }
  });

  it('is for administrators only, and not for API keys', async () => {
    const { key } = await makeKey(world.app, root.token!);
    for (const client of [own, world.app.asGuest(), world.app.as(key)]) {
      const refused = await client.get(ME).set(HEADER, `user:${rootId}`).expect(403);
      expect((refused.body as { data: { error: string } }).data.error).toBe('permission_denied');
      expect(refused.headers[HEADER]).toBeUndefined();
    }
  });

  it('rejects an unknown user', async () => {
    const inactive = await createPerson(world.app, { activated: false });
    const names = [
      '',
      'role:',
      'role:nobody',
      'user:',
      'user:1',
      `user:${inactive.id}`,
      `user:${post}`,
      'Guest',
      'guest,guest',
      'root',
      `USER:${person.id}`,
    ];
    for (const name of names) {
      const { status, body } = await as(name, ME);
      expect([name, status, (body as { data: { error: string } }).data.error]).toEqual([name, 400, 'view_as_invalid']);
    }
  });

  it('is audited before the response, with the caller, the user and the route', async () => {
    await as(`user:${person.id}`, '/api/content/session?limit=1').expect(200);
    const events = await world.app.sql(
      `SELECT actor, resource, outcome, changes, request_id FROM audit_events WHERE action = 'access.view' ORDER BY at DESC, id DESC LIMIT 1`,
    );
    expect(events).toEqual([
      {
        actor: `account:${rootId}`,
        resource: `user:${person.id}`,
        outcome: 'success',
        changes: { method: { after: 'GET' }, path: { after: '/api/content/session' } },
        request_id: expect.any(String),
      },
    ]);
  });
});
