import { makeKey, type MadeKey, outcome } from '../../support/api-keys.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import type { PermissionDefinition } from '../../../src/identity/users/roles/permission-faults.js';
import { field, schema } from '../../support/schema-definitions.js';
import type { TestClient } from '../../support/test-client.js';
import { useTestApp } from '../../support/test-app.js';

const POSTS = '/api/content/posts';

describe('the scopes of an API key', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;
  let rootToken: string;
  let published: string;
  let draft: string;
  let counter = 0;

  beforeAll(async () => {
    ({ root, rootId } = await makeMagazine(world.app));
    rootToken = root.token!;
    const make = async (status: string) =>
      (await root.post(POSTS, { title: status, status, body: 'text', slug: status }).expect(201)).body.data
        .id as string;
    published = await make('published');
    draft = await make('draft');
  });

  async function person(
    permissions: readonly Partial<PermissionDefinition>[],
    scopes: readonly Partial<PermissionDefinition>[],
  ): Promise<{ name: string; token: string; own: TestClient; keyed: TestClient; key: MadeKey; id: string }> {
    counter += 1;
    const name = `scoped${counter}`;
    const complete = permissions.map((one) => ({ value: 'allow', fields: null, ...one })) as PermissionDefinition[];
    await world.app.get(RoleSeeder).seed([{ name, permissions: complete }]);
    const { token, person: owner } = await signedIn(world.app, { roles: [name] });
    const key = await makeKey(world.app, token, { scopes });
    return { name, token, own: world.app.as(token), keyed: world.app.as(key.key), key, id: owner.id };
  }
  const titles = async (client: TestClient): Promise<string[]> =>
    ((await client.get(`${POSTS}?sort=title`).expect(200)).body.data.items as { title: string }[]).map(
      ({ title }) => title,
    );

  it('limit it to a part of the rights of its owner', async () => {
    const { keyed } = await person([{ resource: 'content.post.*' }], [{ resource: 'content.post.list' }]);
    expect(await titles(keyed)).toEqual(['draft', 'published']);
    expect(outcome(await keyed.get(`${POSTS}/${draft}`))).toEqual([403, 'permission_denied']);
    expect(outcome(await keyed.post(POSTS, { title: 'x' }))).toEqual([403, 'permission_denied']);
  });

  it('allow nothing if they are empty', async () => {
    const { keyed } = await person([{ resource: '*' }], []);
    for (const path of [POSTS, '/api/schema', '/api/content/users'])
      expect(outcome(await keyed.get(path))).toEqual([403, 'permission_denied']);
    const { key } = await makeKey(world.app, rootToken, { scopes: [] });
    expect(outcome(await world.app.as(key).get(POSTS))).toEqual([403, 'permission_denied']);
  });

  it('do not extend the rights of its owner', async () => {
    for (const resource of ['*', 'content.*', 'content.post.*', 'content.post.update', 'schema.*', 'content.user.*']) {
      const { keyed, id } = await person([{ resource: 'content.post.list' }], [{ resource }]);
      for (const request of [
        keyed.patch(`${POSTS}/${draft}`, { title: 'mine' }),
        keyed.get('/api/schema'),
        keyed.get('/api/content/users'),
        keyed.patch(`/api/content/users/${id}`, { roles: { $add: [{ id }] } }),
        keyed.post('/api/schema', { name: 'mine', fields: [] }),
      ])
        expect([resource, outcome(await request)]).toEqual([resource, [403, 'permission_denied']]);
    }
  });

  it('and the rules of the owner apply together, for each record', async () => {
    const { keyed, own } = await person(
      [{ resource: 'content.post.*', value: "record.status == 'published'" }],
      [{ resource: 'content.post.list', value: "record.title != 'published'" }, { resource: 'content.post.get' }],
    );
    expect(await titles(own)).toEqual(['published']);
    expect(await titles(keyed)).toEqual([]);
    await keyed.get(`${POSTS}/${published}`).expect(200);
    expect(outcome(await keyed.get(`${POSTS}/${draft}`))).toEqual([404, 'record_not_found']);
  });

  it('refer to the owner by auth', async () => {
    const { keyed, id } = await person(
      [{ resource: 'content.user.list' }],
      [{ resource: 'content.user.list', value: 'record.id == auth.id' }],
    );
    const { body } = await keyed.get('/api/content/users').expect(200);
    expect((body.data.items as { id: string }[]).map((user) => user.id)).toEqual([id]);
  });

  it('show the fields that both allow', async () => {
    const { keyed } = await person(
      [{ resource: 'content.post.*', fields: { read: ['id', 'title', 'slug'] } }],
      [{ resource: 'content.post.get', fields: { read: ['id', 'slug', 'body'] } }],
    );
    const { body } = await keyed.get(`${POSTS}/${published}`).expect(200);
    expect(body.data).toEqual({ id: published, slug: 'published' });
    expect((await keyed.get(`${POSTS}/${published}?select=title`)).status).toBe(400);
    expect((await keyed.get(`${POSTS}/${published}?select=body`)).status).toBe(400);
  });

  it('allow writing what both allow', async () => {
    const { keyed } = await person(
      [{ resource: 'content.post.*', fields: { write: ['title', 'slug'] } }],
      [{ resource: 'content.post.*', fields: { write: ['slug', 'body'] } }],
    );
    await keyed.patch(`${POSTS}/${draft}`, { slug: 'another' }).expect(200);
    for (const body of [{ title: 'x' }, { body: 'x' }, { slug: 'x', title: 'x' }])
      expect([body, (await keyed.patch(`${POSTS}/${draft}`, body)).status]).not.toEqual([body, 200]);
    await root.patch(`${POSTS}/${draft}`, { slug: 'draft' }).expect(200);
  });

  it('do not allow a protected field that the permission of the owner does not name', async () => {
    const roles = (await root.get('/api/content/roles?limit=100')).body.data.items as { id: string; name: string }[];
    const editor = roles.find(({ name }) => name === 'user')!.id;
    for (const write of [['roles'], ['roles', 'first_name'], ['password'], ['email'], ['activated']]) {
      const { keyed, id } = await person(
        [{ resource: 'content.user.*' }],
        [{ resource: 'content.user.*', fields: { write } }],
      );
      const values: Record<string, unknown> = {
        roles: { $add: [{ id: editor }] },
        password: 'mellow pecan 12',
        email: `taken${counter}@example.com`,
        activated: false,
      };
      const answer = await keyed.patch(`/api/content/users/${id}`, { [write[0]!]: values[write[0]!] });
      expect([write, answer.status]).not.toEqual([write, 200]);
    }
    const { keyed, id } = await person(
      [{ resource: 'content.user.*', fields: { write: ['roles', 'first_name'] } }],
      [{ resource: 'content.user.*' }],
    );
    expect((await keyed.patch(`/api/content/users/${id}`, { roles: { $add: [{ id: editor }] } })).status).not.toBe(200);
    await keyed.patch(`/api/content/users/${id}`, { first_name: 'New' }).expect(200);
  });

  it('allow a protected field that both name', async () => {
    const roles = (await root.get('/api/content/roles?limit=100')).body.data.items as { id: string; name: string }[];
    const fields = { write: ['roles'] };
    const { keyed, id } = await person(
      [{ resource: 'content.user.*', fields }, { resource: 'content.role.*' }],
      [{ resource: 'content.user.*', fields }, { resource: 'content.role.*' }],
    );
    const user = roles.find(({ name }) => name === 'user')!.id;
    await keyed.patch(`/api/content/users/${id}`, { roles: { $add: [{ id: user }] } }).expect(200);
  });

  it('give no root rights: neither for roles nor for root accounts', async () => {
    const scopes = [{ resource: '*' }, { resource: 'content.user.*', fields: { write: ['password', 'roles'] } }];
    const { key } = await makeKey(world.app, rootToken, { scopes });
    const keyed = world.app.as(key);
    await keyed.get(POSTS).expect(200);
    const { body } = await root.get('/api/content/roles?limit=100');
    const admin = (body.data.items as { id: string; name: string }[]).find(({ name }) => name === 'admin')!.id;
    const { id } = await createPerson(world.app);
    for (const request of [
      keyed.post('/api/content/roles', { name: 'mine', root: true }),
      keyed.post('/api/content/permissions', { role: { id: admin }, resource: '*', value: 'allow' }),
      keyed.patch(`/api/content/users/${id}`, { roles: { $add: [{ id: admin }] } }),
      keyed.patch(`/api/content/users/${rootId}`, { password: 'mellow pecan 12' }),
    ])
      expect(outcome(await request)).toEqual([403, 'permission_denied']);
  });

  it('apply denials to root accounts, too', async () => {
    const { key } = await makeKey(world.app, rootToken, {
      scopes: [{ resource: 'content.*' }, { resource: 'content.post.*', value: 'deny' }],
    });
    await world.app.as(key).get('/api/content/tags').expect(200);
    expect(outcome(await world.app.as(key).get(POSTS))).toEqual([403, 'permission_denied']);
  });

  it('apply at every step of a relation', async () => {
    const { keyed } = await person(
      [{ resource: 'content.*' }],
      [{ resource: 'content.post.*', fields: { read: ['id', 'title', 'owner'] } }],
    );
    expect((await keyed.get(`${POSTS}?select=title,owner.email`)).status).toBe(400);
    expect((await keyed.get(`${POSTS}?filter={"owner.email":"x"}`)).status).toBe(400);
    expect((await keyed.get(`${POSTS}?sort=owner.email`)).status).toBe(400);
  });

  it('follow the rights of the owner in the next request', async () => {
    const { keyed, name } = await person([{ resource: 'content.post.*' }], [{ resource: 'content.post.*' }]);
    await keyed.get(POSTS).expect(200);
    await world.app.get(RoleSeeder).seed([{ name, permissions: [] }]);
    expect(outcome(await keyed.get(POSTS))).toEqual([403, 'permission_denied']);
    await world.app
      .get(RoleSeeder)
      .seed([{ name, permissions: [{ resource: 'content.post.list', value: 'allow', fields: null }] }]);
    await keyed.get(POSTS).expect(200);
  });

  it('bind to the names at the creation of the key', async () => {
    await root.post('/api/schema', schema('memo', [field('string', 'text', { optional: true })])).expect(201);
    const scoped = await makeKey(world.app, rootToken, { scopes: [{ resource: 'content.memo.list' }] });
    await world.app.as(scoped.key).get('/api/content/memos').expect(200);
    await root.delete('/api/schema/memo?allow_data_loss=true').expect(200);
    await root.post('/api/schema', schema('memo', [field('string', 'secret', { optional: true })])).expect(201);
    expect(outcome(await world.app.as(scoped.key).get('/api/content/memos'))).toEqual([403, 'permission_denied']);
  });

  it('make two keys of one owner equal only if they are equal', async () => {
    const { token, keyed } = await person([{ resource: 'content.*' }], [{ resource: 'content.post.list' }]);
    const other = world.app.as((await makeKey(world.app, token, { scopes: [{ resource: 'content.tag.list' }] })).key);
    const whole = world.app.as((await makeKey(world.app, token)).key);
    for (const [client, allowed] of [
      [keyed, [200, 403]],
      [other, [403, 200]],
      [whole, [200, 200]],
      [world.app.as(token), [200, 200]],
      [keyed, [200, 403]],
    ] as const) {
      const answers = [await client.get(POSTS), await client.get('/api/content/tags')];
      expect(answers.map(({ status }) => status)).toEqual(allowed);
    }
  });

  it('apply to routes with rules', async () => {
    const { keyed } = await person(
      [{ resource: 'schema.*', value: "auth.email != ''" }],
      [{ resource: 'schema.*', value: "auth.email == 'somebody@else.example'" }],
    );
    expect(outcome(await keyed.get('/api/schema'))).toEqual([403, 'permission_denied']);
    const { keyed: open } = await person([{ resource: 'schema.*', value: "auth.email != ''" }], [{ resource: '*' }]);
    await open.get('/api/schema').expect(200);
  });

  it('do not affect the signed-in owner', async () => {
    const owner = await createPerson(world.app, { roles: ['admin'] });
    const token = await signIn(world.app, owner);
    await makeKey(world.app, token, { scopes: [] });
    await world.app.as(token).get(POSTS).expect(200);
    await world.app.as(token).get('/api/auth/me').expect(200);
  });
});
