import { SchemaStore } from '../../../src/data/schema/apply/schema-store.js';
import { initialSnapshot } from '../../../src/data/schema/change/prepare-change.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { blog, field, schema, SYSTEM } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';

describe('schema versions in the database', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
    await admin.post(PATH, { schemas: blog() }).expect(201);
  });

  const parts = async (): Promise<number> => {
    const [row] = await world.app.sql<{ count: number }>('SELECT count(*)::int AS count FROM schema_parts');
    return row?.count ?? 0;
  };
  const read = (version: number) =>
    world.app.get(SchemaStore).find(world.app.database, version, initialSnapshot(SYSTEM));

  it('store common parts once', async () => {
    const before = await parts();
    await admin.post(PATH, schema('note')).expect(201);
    await admin.put(`${PATH}/note`, schema('note', [field('int', 'n', { optional: true })])).expect(200);
    expect(await parts()).toBe(before + 2);
  });

  it('are shared in memory too: an instance reads only what it lacks', async () => {
    const second = await world.app.secondInstance();
    try {
      const known = second.get(SchemaSnapshots).current;
      await admin.post(PATH, schema('shared')).expect(201);
      const newest = await second.get(SchemaSnapshots).latest();
      expect(newest.version).toBe(known.version + 1);
      for (const [name, linked] of Object.entries(known.schemas)) expect(newest.schemas[name]).toBe(linked);
    } finally {
      await second.stop();
    }
  });

  it('are restored unchanged', async () => {
    const { current } = world.app.get(SchemaSnapshots);
    expect(await read(current.version)).toEqual(current);
    expect((await read(1))?.schemas['note']).toBeUndefined();
    expect(await read(current.version + 1)).toBeNull();
  });
});
