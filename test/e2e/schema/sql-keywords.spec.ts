import { field, relation } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Reserved words of PostgreSQL, and other common names. */
const WORDS =
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
  column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
  current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
  from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
  localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
  returning right select session_user similar some symmetric system_user table tablesample then to trailing true union
  unique user using variadic verbose when where window with delete drop insert truncate update alter
  filter sort count sum page cursor data items value key type name`.split(/\s+/);

describe('SQL keywords as names', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
  });

  it('work as fields in every operation', async () => {
    const fields = WORDS.map((name) => field('string', name, { optional: true, searchable: true }));
    const indexes = [{ columns: ['order', 'group'] }, { columns: ['select', 'user'], unique: true }];
    await admin
      .post('/api/schema', { name: 'word', namespace: 'words', label_field: 'order', fields, db: { indexes } })
      .expect(201);
    const record = Object.fromEntries(WORDS.map((name) => [name, `x ${name}`]));
    const { id } = (await admin.post('/api/content/words', record).expect(201)).body.data;
    expect((await admin.get(`/api/content/words/${id}`).expect(200)).body.data).toMatchObject(record);
    await admin.patch(`/api/content/words/${id}`, { select: 'changed', from: null }).expect(200);
    for (const name of WORDS.filter((one) => one !== 'from' && one !== 'select')) {
      const filter = encodeURIComponent(JSON.stringify({ [name]: { $ilike: `X ${name}` } }));
      const list = await admin.get(`/api/content/words?filter=${filter}&sort=-${name},id&select=${name}`).expect(200);
      expect(list.body.data.items).toMatchObject([{ [name]: record[name] }]);
      const groups = await admin.get(`/api/content/words/aggregate?group=${name}&min=${name}`);
      expect([name, groups.status]).toEqual([name, name === 'count' || name === 'sum' ? expect.any(Number) : 200]);
    }
    const search = encodeURIComponent(JSON.stringify({ $search: 'changed' }));
    expect((await admin.get(`/api/content/words?filter=${search}`).expect(200)).body.data.total).toBe(1);
    const csv = (await admin.get('/api/content/words/export?format=csv').buffer(true).expect(200)).text;
    await admin.delete(`/api/content/words?filter=${encodeURIComponent('{}')}`).expect(200);
    await admin.post('/api/content/words/import?format=csv').type('text/csv').send(csv).expect(200);
    expect((await admin.get('/api/content/words').expect(200)).body.data.items).toMatchObject([
      { ...record, select: 'changed', from: null },
    ]);
    await admin.get('/api/openapi.json').expect(200);
  });

  it('work as schemas, tables, relations and columns', async () => {
    const order = {
      name: 'order',
      namespace: 'select',
      label_field: 'table',
      fields: [
        field('string', 'table'),
        relation('group', 'group', 'order', 'm2o'),
        relation('like', 'group', 'union', 'm2m', { owner: true, junction_table: 'join' }),
      ],
    };
    const group = {
      name: 'group',
      namespace: 'table',
      label_field: 'to',
      fields: [
        field('string', 'to', { db: { column: 'from' } }),
        relation('order', 'order', 'group', 'm2o', { owner: true }),
        relation('union', 'order', 'like', 'm2m'),
      ],
    };
    await admin.post('/api/schema', { schemas: [order, group] }).expect(201);
    const body = { table: 'a', group: { to: 'b' }, like: [{ to: 'c' }] };
    const { id } = (await admin.post('/api/content/select', body).expect(201)).body.data;
    const found = await admin.get(`/api/content/order/${id}?select=table,group.to,like.to`).expect(200);
    expect(found.body.data).toMatchObject({ table: 'a', group: { to: 'b' }, like: [{ to: 'c' }] });
    const filter = encodeURIComponent(JSON.stringify({ 'group.to': 'b' }));
    expect((await admin.get(`/api/content/select?filter=${filter}&sort=group.to`).expect(200)).body.data.total).toBe(1);
    await admin.delete(`/api/content/select/${id}`).expect(200);
    await admin.delete('/api/schema/order?allow_data_loss=true').expect(200);
  });
});
