import { ContentContexts } from '../../../src/data/content/content-context.service.js';
import { CompiledQueries } from '../../../src/data/content/query/compiled-queries.service.js';
import type { Principal } from '../../../src/kernel/principal.types.js';
import { GUEST } from '../../../src/kernel/principal.types.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeMagazine } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const HOUR = 3_600;
const SORTED = '/api/content/posts?sort=title';

describe('a repeated request', () => {
  const world = useTestApp();
  let root: TestClient;
  let counter = 0;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  /** Creates two users with the same permissions. */
  const pair = async (value: string) => {
    counter += 1;
    const name = `pair${counter}`;
    const permissions = [{ resource: 'content.post.*', value, fields: null }];
    await world.app.get(RoleSeeder).seed([{ name, permissions }]);
    const people = [await signedIn(world.app, { roles: [name] }), await signedIn(world.app, { roles: [name] })];
    return people.map(({ token, person }) => ({ name, client: world.app.as(token), ...person }));
  };
  const post = async (values: Record<string, unknown>): Promise<string> => {
    const { body } = await root.post('/api/content/posts', values).expect(201);
    return body.data.id;
  };
  const titles = async (client: TestClient, path = SORTED): Promise<string[]> => {
    const { body } = await client.get(path).expect(200);
    return (body.data.items as { title: string }[]).map(({ title }) => title);
  };

  it('gets the response of each account, although all send the same text', async () => {
    const [one, two] = await pair('record.owner == auth.id || auth.email == record.slug');
    const own = await post({ title: 'own of one', owner: one?.id });
    const named = await post({ title: 'named for two', slug: two?.email });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await titles(one?.client as TestClient)).toEqual(['own of one']);
      expect(await titles(two?.client as TestClient)).toEqual(['named for two']);
      await one?.client.get(`/api/content/posts/${own}`).expect(200);
      await one?.client.get(`/api/content/posts/${named}`).expect(404);
      await two?.client.get(`/api/content/posts/${own}`).expect(404);
      await two?.client.get(`/api/content/posts/${named}`).expect(200);
    }
  });

  it('checks the permissions of each caller where a rule needs no record', async () => {
    const [one, two] = await pair('false');
    const rule = `auth.id == '${one?.id}' || auth.email in ['${one?.email}', 'x@example.com']`;
    const permissions = [{ resource: 'content.post.*', value: rule, fields: null }];
    await world.app.get(RoleSeeder).seed([{ name: one?.name as string, permissions }]);
    for (let turn = 0; turn < 2; turn += 1) {
      await one?.client.get(SORTED).expect(200);
      await two?.client.get(SORTED).expect(403);
    }
    for (let turn = 0; turn < 2; turn += 1) {
      await two?.client.get('/api/content/posts?sort=-title').expect(403);
      await one?.client.get('/api/content/posts?sort=-title').expect(200);
    }
  });

  it('evaluates time in each request', async () => {
    const [one] = await pair('record.published_at <= now');
    const at = new Date(world.app.clock.nowMs() + HOUR * 1_000).toISOString();
    const id = await post({ title: 'scheduled', published_at: at });
    expect(await titles(one?.client as TestClient)).toEqual([]);
    await one?.client.get(`/api/content/posts/${id}`).expect(404);
    world.app.clock.advance(HOUR - 1);
    expect(await titles(one?.client as TestClient)).toEqual([]);
    world.app.clock.advance(2);
    expect(await titles(one?.client as TestClient)).toEqual(['scheduled']);
    await one?.client.get(`/api/content/posts/${id}`).expect(200);
  });

  it('applies revoked permissions and dropped fields', async () => {
    const [one] = await pair('allow');
    await one?.client.get(SORTED).expect(200);
    await world.app.get(RoleSeeder).seed([{ name: one?.name as string, permissions: [] }]);
    await one?.client.get(SORTED).expect(403);
    await root.post('/api/schema', schema('note', [field('string', 'word', { optional: true })])).expect(201);
    await root.get('/api/content/notes?select=word').expect(200);
    await root.put('/api/schema/note?allow_data_loss=true', schema('note', [])).expect(200);
    const { body } = await root.get('/api/content/notes?select=word').expect(400);
    expect(body.data.errors).toEqual([{ field: 'word', code: 'unknown_field', message: expect.any(String) }]);
  });

  it('continues from its own cursor, with and without values', async () => {
    for (const published_at of [null, null, '2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'])
      await post({ title: 'paged', published_at });
    const first = '/api/content/posts?filter={"title":"paged"}&sort=published_at&limit=1&select=published_at';
    const walk = async (): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { data } = (await root.get(`${first}&cursor=${cursor}`).expect(200)).body as {
          data: { items: { published_at: unknown }[]; next_cursor: string | null };
        };
        seen.push(...data.items.map((item) => item.published_at));
        cursor = data.next_cursor;
      }
      return seen;
    };
    const expected = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z', null, null];
    expect(await walk()).toEqual(expected);
    expect(await walk()).toEqual(expected);
    for (const cursor of ['cursor=x&cursor=', 'cursor=x', 'cursor=%00', 'cursor[]='])
      await root.get(`${first}&${cursor}`).expect(400);
  });

  it('is distinguished from every other request in any spelling', async () => {
    await root.get('/api/content/posts?limit=5').expect(200);
    for (const query of ['limit=5%00', 'limit=5&limit=5', 'limit%00=5', '%00limit=5', 'limit=5&x=', 'limit=%225%22'])
      await root.get(`/api/content/posts?${query}`).expect(400);
    await root.get('/api/content/posts?limit=5').expect(200);
  });

  it('is compiled once for callers with the same permissions, and per caller where it depends on the caller', async () => {
    const forms = world.app.get(CompiledQueries);
    const of = async (principal: Principal) => world.app.get(ContentContexts).requestContext(principal);
    const [one, two] = await pair('record.owner == auth.id');
    const [three, four] = await pair("auth.id != 'nobody'");
    const principal = async (id = ''): Promise<Principal> => {
      const rows = await world.app.sql<{ role_id: string }>('SELECT role_id FROM user_roles WHERE user_id = $1', [id]);
      const roleIds = rows.map(({ role_id }) => role_id);
      return { kind: 'account', userId: id, sessionId: '', email: `${id}@example.com`, roleIds };
    };
    const form = async (id?: string) => forms.list(await of(await principal(id)), 'posts', { limit: '7' }, () => null);
    expect(await form(one?.id)).toBe(await form(two?.id));
    expect(await form(three?.id)).not.toBe(await form(four?.id));
    expect(await form(three?.id)).not.toBe(await form(three?.id));
    const guest = await of(GUEST);
    expect(() => forms.list(guest, 'posts', { limit: '7' }, () => null)).toThrow('Sign in first');
  });
});
