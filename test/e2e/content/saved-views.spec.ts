import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const OWN = 'record.owner.id == auth.id';
const RULES = ['list', 'get'].map((action) => ({
  resource: `content.view.${action}`,
  value: `${OWN} || record.role.name in auth.roles`,
}));
const WRITES = ['create', 'update', 'delete'].map((action) => ({ resource: `content.view.${action}`, value: OWN }));

describe('saved views', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  const saved = async (client: TestClient): Promise<{ name: string; query: unknown; owner_id?: string }[]> =>
    ((await client.get('/api/content/views?sort=name').expect(200)).body as { data: { items: never[] } }).data.items;

  it('belong to their creator and are visible to roles they are shared with', async () => {
    const ann = await personWith(world.app, [...RULES, ...WRITES]);
    const bob = await personWith(world.app, [...RULES, ...WRITES]);
    const query = { filter: { status: 'draft', $or: [{ views: { $gt: 3 } }] }, sort: ['-views'], columns: ['title'] };
    const made = await ann.client.post('/api/content/views', { name: 'drafts', schema: 'post', query }).expect(201);
    const { id } = (made.body as { data: { id: string } }).data;
    expect(await saved(ann.client)).toEqual([expect.objectContaining({ name: 'drafts', query })]);
    expect(await saved(bob.client)).toEqual([]);
    const roles = `/api/content/roles?filter=${encodeURIComponent(JSON.stringify({ name: bob.name }))}`;
    const [role] = ((await root.get(roles).expect(200)).body as { data: { items: { id: string }[] } }).data.items;
    await root.patch(`/api/content/views/${id}`, { role: { id: role!.id } }).expect(200);
    expect(await saved(bob.client)).toEqual([expect.objectContaining({ name: 'drafts', query })]);
    await bob.client.patch(`/api/content/views/${id}`, { name: 'mine' }).expect(404);
    await bob.client.delete(`/api/content/views/${id}`).expect(404);
    await ann.client.patch(`/api/content/views/${id}`, { name: 'old drafts' }).expect(200);
  });

  it('cannot be created for or removed from other users', async () => {
    const ann = await personWith(world.app, [
      ...RULES,
      ...WRITES,
      { resource: 'content.user.*', value: 'record.id == auth.id' },
    ]);
    const bob = await personWith(world.app, [...RULES, ...WRITES]);
    const body = { name: 'x', schema: 'post', query: {} };
    const made = await bob.client.post('/api/content/views', body).expect(201);
    const { id } = (made.body as { data: { id: string } }).data;
    for (const owner of [{ id: bob.id }, null])
      expect((await ann.client.post('/api/content/views', { ...body, owner })).status).toBeGreaterThanOrEqual(400);
    const taking = { saved_views: { $add: [{ id }] } };
    expect((await ann.client.patch(`/api/content/users/${ann.id}`, taking)).status).toBeGreaterThanOrEqual(400);
    expect(await saved(ann.client)).toEqual([]);
    expect(await saved(bob.client)).toHaveLength(1);
  });

  it('are deleted with the account of their creator', async () => {
    const ann = await personWith(world.app, [...RULES, ...WRITES]);
    await ann.client.post('/api/content/views', { name: 'of ann', schema: 'post', query: {} }).expect(201);
    await root.delete(`/api/content/users/${ann.id}`).expect(200);
    expect((await saved(root)).map(({ name }) => name)).not.toContain('of ann');
  });

  it('are hidden from callers without the permission', async () => {
    const nobody = await personWith(world.app, []);
    await nobody.client.get('/api/content/views').expect(403);
    await nobody.client.post('/api/content/views', { name: 'x', schema: 'post', query: {} }).expect(403);
    await world.app.asGuest().get('/api/content/views').expect(401);
  });
});
