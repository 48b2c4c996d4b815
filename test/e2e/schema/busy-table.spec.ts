import { setTimeout as sleep } from 'node:timers/promises';
import { PendingSchemaStatements } from '../../../src/data/schema/apply/schema-connection.js';
import { asAdmin, columnsOf } from '../../support/schema-fixture.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';
const EVENTS = '/api/content/events';
const ROWS = 100_000;
const PART = 10_000;

describe('a table with 100,000 rows under load', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
    await admin.post(PATH, schema('event', [field('string', 'tag', { optional: true })])).expect(201);
    // In parts, so that each stays within the statement timeout on a busy machine.
    for (let from = 1; from <= ROWS; from += PART)
      await world.app.sql(
        `INSERT INTO events (id, title, tag)
         SELECT gen_random_uuid(), 'event ' || n, n::text FROM generate_series(${from}, ${from + PART - 1}) n`,
      );
  });

  const event = (...fields: unknown[]) => schema('event', [field('string', 'tag', { optional: true }), ...fields]);

  /** Clients of the content API read and write the table until the work is done. Every request must succeed. */
  async function underLoad<T>(work: () => Promise<T>): Promise<{ result: T; requests: number }> {
    const load = { isOn: true, requests: 0 };
    const client = async (name: string): Promise<void> => {
      while (load.isOn) {
        const { body } = await admin.post(EVENTS, { title: `written by ${name}`, tag: name }).expect(201);
        const path = `${EVENTS}/${body.data.id}`;
        await admin.get(path).expect(200);
        await admin.get(`${EVENTS}?limit=5&count=none&sort=title`).expect(200);
        const changed = await admin.patch(path, { title: `changed by ${name}` }).expect(200);
        expect(changed.body.data).toMatchObject({ title: `changed by ${name}`, tag: name });
        await admin.delete(path).expect(200);
        load.requests += 5;
      }
    };
    const clients = ['a', 'b', 'c'].map(client);
    const failed = Promise.all(clients).then(() => new Promise<never>(() => undefined));
    try {
      const result = await Promise.race([work(), failed]);
      // Requests after the change belong to the test, too: every client runs another round.
      const until = load.requests + 30;
      while (load.requests < until) await Promise.race([sleep(20), failed]);
      return { result, requests: load.requests };
    } finally {
      load.isOn = false;
      await Promise.all(clients);
    }
  }

  it('rejects a required field without a default, with the reason', async () => {
    const { result } = await underLoad(() => admin.put(`${PATH}/event`, event(field('string', 'level'))).expect(409));
    expect(result.body.data.error).toBe('migration_blocked');
    expect(result.body.message).toContain('required column "level"');
    expect(result.body.data.steps[0].problems[0].count).toBeGreaterThanOrEqual(ROWS);
    expect(await columnsOf(world.app, 'events')).not.toHaveProperty('level');
  });

  it('adds it with its default, and no request fails', async () => {
    const wanted = event(field('string', 'level', { default: 'low' }));
    const { requests } = await underLoad(() => admin.put(`${PATH}/event`, wanted).expect(200));
    expect(requests).toBeGreaterThan(0);
    expect((await admin.get(`${EVENTS}?limit=1&count=none`).expect(200)).body.data.items[0].level).toBe('low');
    const [row] = await world.app.sql<{ count: string }>(`SELECT count(*) FROM events WHERE level <> 'low'`);
    expect(row?.count).toBe('0');
    expect(await columnsOf(world.app, 'events')).toMatchObject({ level: 'character varying(255) required' });
  });

  it('renames, converts, drops and restores a column, and no request fails', async () => {
    const [low, text] = [{ default: 'low' }, { default: 'low', optional: true }];
    const renamed = { ...event(field('string', 'grade', low)), renames: { fields: { level: 'grade' } } };
    await underLoad(async () => {
      await admin.put(`${PATH}/event`, renamed).expect(200);
      await admin.put(`${PATH}/event`, event(field('text', 'grade', text))).expect(200);
      await admin.put(`${PATH}/event?allow_data_loss=true`, event()).expect(200);
      await admin.post(`${PATH}/undo`).expect(200);
      const back = { ...event(field('string', 'level', low)), renames: { fields: { grade: 'level' } } };
      await admin.put(`${PATH}/event`, back).expect(200);
    });
    const [row] = await world.app.sql<{ count: string }>(`SELECT count(*) FROM events WHERE level <> 'low'`);
    expect(row?.count).toBe('0');
  });

  it('builds a large index and checks new references after the commit', async () => {
    const place = schema('place', [relation('events', 'event', 'place', 'o2m', { owner: true })]);
    const wanted = event(
      field('string', 'level', { default: 'low' }),
      relation('place', 'place', 'events', 'o2m', { on_delete: 'set_null' }),
    );
    const indexed = { ...wanted, db: { indexes: [{ columns: ['tag'] }] } };
    await underLoad(() => admin.post(PATH, { schemas: [place, indexed] }).expect(201));
    const keys = await world.app.sql<{ convalidated: boolean }>(
      `SELECT convalidated FROM pg_constraint WHERE contype = 'f' AND conrelid = 'events'::regclass`,
    );
    expect(keys).toEqual([{ convalidated: true }]);
    const indexes = await world.app.sql<{ indisvalid: boolean }>(
      `SELECT indisvalid FROM pg_index WHERE indrelid = 'events'::regclass AND NOT indisprimary`,
    );
    expect(indexes).toEqual([{ indisvalid: true }, { indisvalid: true }]);
    expect(await world.app.sql(`SELECT version FROM schema_versions WHERE pending::text <> '[]'`)).toEqual([]);
  });

  it('completes later what was not completed after a commit', async () => {
    const finish = jest.spyOn(PendingSchemaStatements.prototype, 'finish').mockResolvedValue();
    const { data } = (await admin.get(`${PATH}/event`).expect(200)).body;
    await admin
      .put(`${PATH}/event`, { ...data, db: { indexes: [{ columns: ['tag'] }, { columns: ['title'] }] } })
      .expect(200);
    expect(await world.app.sql(`SELECT version FROM schema_versions WHERE pending::text <> '[]'`)).toHaveLength(1);
    finish.mockRestore();
    await admin.post(PATH, schema('next')).expect(201);
    expect(await world.app.sql(`SELECT version FROM schema_versions WHERE pending::text <> '[]'`)).toEqual([]);
    const [row] = await world.app.sql(
      `SELECT count(*)::int AS count FROM pg_index WHERE indrelid = 'events'::regclass AND NOT indisprimary AND indisvalid`,
    );
    expect(row).toEqual({ count: 3 });
  });

  it('waits for the table in short attempts, so that readers do not queue behind it', async () => {
    const holder = world.app.database.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT * FROM events LIMIT 1');
    const { data } = (await admin.get(`${PATH}/event`).expect(200)).body;
    const changing = admin
      .put(`${PATH}/event`, { ...data, fields: [...data.fields, field('int', 'late', { optional: true })] })
      .then((response) => response);
    // Behind a waiting change, these reads would wait as long as the reader above.
    for (let turn = 0; turn < 20; turn += 1) {
      await world.app.sql('SELECT * FROM events LIMIT 1');
      await sleep(50);
    }
    await holder.commitTransaction();
    await holder.release();
    expect((await changing).status).toBe(200);
    expect(await columnsOf(world.app, 'events')).toHaveProperty('late');
  });

  it('reports a busy table, and changes nothing', async () => {
    const holder = world.app.database.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT * FROM events LIMIT 1');
    const { data } = (await admin.get(`${PATH}/event`).expect(200)).body;
    const fields = [...data.fields, field('int', 'never', { optional: true })];
    const { body, headers } = await admin.put(`${PATH}/event`, { ...data, fields }).expect(503);
    expect(body.data.error).toBe('server_busy');
    expect(headers['retry-after']).toBeDefined();
    await holder.rollbackTransaction();
    await holder.release();
    expect(await columnsOf(world.app, 'events')).not.toHaveProperty('never');
  });
});
