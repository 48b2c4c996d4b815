import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const NAMES = Array.from({ length: 10 }, (_, at) => `f${at}`);

/** Selections of the fields. Each results in a different statement. */
const selections = Array.from({ length: 350 }, (_, at) =>
  NAMES.filter((_name, bit) => ((at + 1) >> bit) % 2 === 1).join(','),
);

describe('prepared statements', () => {
  const world = useTestApp({ env: { DATABASE_POOL_SIZE: '2' } });
  let root: TestClient;
  let id: string;

  beforeAll(async () => {
    const { app } = world;
    const { token } = await signedIn(app, { roles: ['admin'] });
    root = app.as(token);
    await root
      .post(
        '/api/schema',
        schema(
          'thing',
          NAMES.map((name) => field('int', name, { default: 0 })),
        ),
      )
      .expect(201);
    id = (await root.post('/api/content/things', { title: 'one' }).expect(201)).body.data.id;
    const permissions = [{ resource: 'content.thing.*', value: 'allow', fields: null }];
    await app.get(RoleSeeder).seed([{ name: 'guest', permissions }]);
  });

  const preparedStatements = async () => {
    const ask = () =>
      world.app.sql<{ statement: string }>('SELECT statement FROM pg_prepared_statements, pg_sleep(0.2)');
    const connections = await Promise.all([ask(), ask()]);
    const texts = connections.map((rows) =>
      rows.map(({ statement }) => statement).filter((text) => text.includes('"things"')),
    );
    for (const kept of texts) expect(kept.length).toBeLessThanOrEqual(300);
    return [...new Set(texts.flat())];
  };

  it('are bounded and favour recent callers, whatever a guest requests', async () => {
    const guest = world.app.asGuest();
    for (const select of selections) {
      await guest.get(`/api/content/things?select=${select}`).expect(200);
      await guest.get(`/api/content/things?select=${select}`).expect(200);
    }
    expect((await preparedStatements()).length).toBeGreaterThan(250);
    const { client } = await personWith(world.app, [{ resource: 'content.thing.*', value: 'allow' }]);
    for (let turn = 0; turn < 2; turn += 1) {
      await client.get('/api/content/things?select=title&sort=-title').expect(200);
      await client.get(`/api/content/things/${id}?select=title`).expect(200);
      await client.patch(`/api/content/things/${id}`, { f0: turn }).expect(200);
      await client.post('/api/content/things', { title: 'x', f9: turn }).expect(201);
    }
    const texts = await preparedStatements();
    expect(texts.filter((text) => text.includes('ORDER BY') && text.includes('DESC'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('UPDATE "things"'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('INSERT INTO "things"'))).toHaveLength(1);
  });

  it('are dropped with their schemas', async () => {
    await root.put('/api/schema/thing?allow_data_loss=true', schema('thing', [])).expect(200);
    for (let turn = 0; turn < 3; turn += 1) await root.get('/api/content/things?select=title').expect(200);
    for (let turn = 0; turn < 3; turn += 1) await root.get('/api/content/things?sort=title').expect(200);
    expect(
      (await preparedStatements()).filter((text) => text.includes('ORDER BY') && !text.includes('"f1"')).length,
    ).toBeGreaterThan(0);
  });
});
