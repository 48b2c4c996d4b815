import { asAdmin } from '../../support/schema-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import { HostileProvider } from '../../support/hostile-provider.js';
import { meBy, startSocialApp } from '../../support/social-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Behaviour in docs/reference/behaviour.md that no other spec covers. */
describe('records', () => {
  const world = useTestApp();
  let admin: TestClient;

  beforeAll(async () => {
    admin = await asAdmin(world.app);
    const fields = [
      field('string', 'body', { optional: true, searchable: true }),
      field('int', 'rank', { optional: true, unique: true }),
    ];
    await admin.post('/api/schema', schema('entry', fields)).expect(201);
  });
  beforeEach(() => world.app.sql('DELETE FROM entrys'));

  const titles = async (query: string): Promise<string[]> => {
    const { body } = await admin.get(`/api/content/entry?select=title&limit=100&${query}`).expect(200);
    return (body.data.items as { title: string }[]).map(({ title }) => title);
  };

  it('are sorted by the collation of the database, which is by code points in the embedded one', async () => {
    const names = ['a', 'Z', 'é', 'z', 'Ä', '10', '9'];
    await admin
      .post(
        '/api/content/entry',
        names.map((title) => ({ title })),
      )
      .expect(201);
    const [database] = await world.app.sql<{ collation: string; ordered: string[] }>(
      `SELECT datcollate AS collation, ARRAY(SELECT name FROM unnest($1::text[]) name ORDER BY name) AS ordered
       FROM pg_database WHERE datname = current_database()`,
      [names],
    );
    const sorted = await titles('sort=title');
    expect(sorted).toEqual(database?.ordered);
    if (/^(C|POSIX)\b/.test(database?.collation ?? '')) expect(sorted).toEqual(['10', '9', 'Z', 'a', 'z', 'Ä', 'é']);
  });

  it('have null values last in ascending and first in descending order', async () => {
    await admin
      .post('/api/content/entry', [{ title: 'none' }, { title: 'two', rank: 2 }, { title: 'one', rank: 1 }])
      .expect(201);
    expect(await titles('sort=rank')).toEqual(['one', 'two', 'none']);
    expect(await titles('sort=-rank')).toEqual(['none', 'two', 'one']);
  });

  it('are found by complete words in any case and order, and not by parts or forms of a word', async () => {
    await admin.post('/api/content/entry', [{ title: 'x', body: 'A red Violin' }]).expect(201);
    const found = async (text: string): Promise<number> =>
      (await titles(`filter=${encodeURIComponent(JSON.stringify({ $search: text }))}`)).length;
    for (const text of ['violin', 'VIOLIN red', '"red violin"', 'cello or violin', 'violin -cello'])
      expect([text, await found(text)]).toEqual([text, 1]);
    for (const text of ['viol', 'violins', 'víolin', '"violin red"', 'violin cello', 'red -violin'])
      expect([text, await found(text)]).toEqual([text, 0]);
    expect(await titles(`filter=${encodeURIComponent('{"body":{"$icontains":"VIOL"}}')}`)).toEqual(['x']);
  });

  it('exchange unique values over a third value, and not directly in one batch', async () => {
    const made = await admin
      .post('/api/content/entry', [
        { title: 'one', rank: 1 },
        { title: 'two', rank: 2 },
      ])
      .expect(201);
    const [one, two] = (made.body.data as { id: string }[]).map(({ id }) => id);
    const update = (id: string | undefined, rank: number | null) => ({
      op: 'update',
      schema: 'entry',
      id,
      data: { rank },
    });
    const swap = { operations: [update(one, 2), update(two, 1)] };
    const { body } = await admin.post('/api/batch', swap).expect(409);
    expect(body.data.error).toBe('unique_violation');
    await admin.post('/api/batch', { operations: [update(one, null), update(two, 1), update(one, 2)] }).expect(200);
    expect(await titles('sort=rank')).toEqual(['two', 'one']);
  });

  it('a second undo restores the change that the first one reverted', async () => {
    const version = async (): Promise<boolean> => (await admin.get('/api/schema/extra')).status === 200;
    await admin.post('/api/schema', schema('extra')).expect(201);
    await admin.post('/api/schema/undo').expect(200);
    expect(await version()).toBe(false);
    await admin.post('/api/schema/undo').expect(200);
    expect(await version()).toBe(true);
  });
});

describe('the address of an account', () => {
  const provider = new HostileProvider();
  let app: TestApp;

  beforeAll(async () => {
    await provider.start();
    app = await startSocialApp({ one: provider.settings() });
  });
  afterAll(async () => {
    await app?.stop();
    await provider.stop();
  });

  it('stays if the provider reports another verified one', async () => {
    const { id, email } = await meBy(app, 'one');
    provider.claims = { email: 'new@example.com', email_verified: true };
    expect(await meBy(app, 'one')).toMatchObject({ id, email });
    expect(email).not.toBe('new@example.com');
  });
});
