import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Action = { value: string; fields?: string[] };
interface Own {
  root: boolean;
  roles: string[];
  resources: string[];
  content: Record<string, Record<string, Action>>;
}

describe('GET /api/auth/permissions', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  const own = async (client: TestClient): Promise<Own> => {
    const response = await client.get('/api/auth/permissions').expect(200);
    expect(response.headers['cache-control']).toBe('no-store');
    return (response.body as { data: Own }).data;
  };

  it('returns everything for an administrator', async () => {
    const { root: isRoot, roles, resources, content } = await own(root);
    expect({ isRoot, roles }).toEqual({ isRoot: true, roles: ['admin'] });
    expect(resources).toEqual(expect.arrayContaining(['auth.me', 'auth.permissions', 'schema.create', 'schema.list']));
    const post = content['post']!;
    expect(Object.keys(post)).toEqual(['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate']);
    expect(post['list']).toEqual({ value: 'allow', fields: expect.arrayContaining(['id', 'title', 'tags', 'owner']) });
    expect(post['create']?.fields).toEqual(expect.not.arrayContaining(['id', 'created_at']));
    expect(post['update']?.fields).not.toContain('rank');
    expect(Object.keys(content['tag']!)).not.toContain('restore');
    expect(content['user']?.['create']?.fields).toContain('password');
    expect(content['user']?.['list']?.fields).not.toContain('password');
    expect(Object.keys(content['session']!)).toEqual(['list', 'get', 'delete', 'aggregate']);
  });

  it('returns what the roles of a user allow, and nothing else', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'allow', fields: { read: ['id', 'title', 'category', 'tags'] } },
      { resource: 'content.post.update', value: 'record.status == "draft"', fields: { write: ['title'] } },
      { resource: 'content.category.get', value: 'allow' },
      { resource: 'content.comment.*', value: 'allow' },
      { resource: 'content.comment.delete', value: 'deny' },
      { resource: 'schema.list', value: 'allow' },
    ]);
    const { root: isRoot, resources, content } = await own(client);
    expect(isRoot).toBe(false);
    expect(resources.filter((name) => !name.startsWith('auth.'))).toEqual(['schema.list']);
    expect(Object.keys(content)).toEqual(['category', 'comment', 'post']);
    // The tags are not readable, so the relation to them is not either.
    expect(content['post']).toEqual({
      list: { value: 'allow', fields: ['id', 'title', 'category'] },
      update: { value: 'rules', fields: ['title'] },
    });
    expect(Object.keys(content['comment']!)).toEqual(['list', 'get', 'create', 'update', 'restore', 'aggregate']);
    const text = JSON.stringify(content);
    for (const hidden of ['tag', 'owner', 'secret', 'draft', 'record.']) expect(text).not.toContain(hidden);
  });

  it('reports an action only if its request is not rejected', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.tag.*', value: 'allow' }]);
    const { content } = await own(client);
    for (const name of ['tag', 'post', 'user', 'no_such_schema']) {
      await client.get(`/api/content/${name}`).expect(content[name]?.['list'] === undefined ? 403 : 200);
      const made = await client.post(`/api/content/${name}`, { title: 'x' });
      expect([name, made.status]).toEqual([name, content[name]?.['create'] === undefined ? 403 : 201]);
    }
  });

  it('follows a change of roles in the next request', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.tag.list', value: 'allow' }]);
    const { roles } = await own(client);
    await world.app
      .get(RoleSeeder)
      .seed([{ name: roles[0]!, permissions: [{ resource: 'content.category.list', value: 'allow', fields: null }] }]);
    expect(Object.keys((await own(client)).content)).toEqual(['category']);
  });

  it('allows nothing by a rule that cannot be translated or does not match the caller', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'record.title.matches("a+")' },
      { resource: 'content.tag.list', value: '"nobody" in auth.roles' },
    ]);
    expect((await own(client)).content).toEqual({});
  });

  it('needs a permission for guests', async () => {
    const guest = world.app.asGuest();
    await guest.get('/api/auth/permissions').expect(401, /token_missing/);
    await world.app
      .as('junk')
      .get('/api/auth/permissions')
      .expect(401, /token_invalid/);
    await world.app.get(RoleSeeder).seed([
      {
        name: 'guest',
        permissions: [
          { resource: 'auth.permissions', value: 'allow', fields: null },
          { resource: 'content.tag.get', value: 'allow', fields: { read: ['title'] } },
        ],
      },
    ]);
    expect(await own(guest)).toEqual({
      root: false,
      roles: [],
      resources: ['auth.permissions'],
      content: { tag: { get: { value: 'allow', fields: ['title'] } } },
    });
  });

  it('can be denied', async () => {
    const { client } = await personWith(world.app, [{ resource: 'auth.permissions', value: 'deny' }]);
    await client.get('/api/auth/permissions').expect(403, /permission_denied/);
    const { token } = await signedIn(world.app);
    await world.app.as(token).get('/api/auth/permissions').expect(200);
  });
});
