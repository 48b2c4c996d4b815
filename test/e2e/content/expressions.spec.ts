import fc from 'fast-check';
import { anyFieldExpressions, anyRecord, anyRule, everyType, validExpressions } from '../../support/any-expressions.js';
import { personWith } from '../../support/content-fixture.js';
import { field, schema } from '../../support/schema-definitions.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('setters and getters', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
    const card = schema('card', [
      field('string', 'slug', { optional: true, setter: 'slug(record.title)' }),
      field('string', 'code', { optional: true, setter: 'upper(value)' }),
      field('string', 'number', { optional: true, getter: '"*" + value.substring(2)' }),
      field('string', 'shout', { optional: true, getter: 'upper(record.title)' }),
    ]);
    await root.post('/api/schema', card).expect(201);
  });

  it('run when a record is created, changed and read, also in lists', async () => {
    const made = await root.post('/api/content/cards', { title: 'One Two', code: 'ab', number: '1234' }).expect(201);
    expect(made.body.data).toMatchObject({ slug: 'one-two', code: 'AB', number: '*34', shout: 'ONE TWO' });
    const path = `/api/content/cards/${made.body.data.id}`;
    expect((await root.patch(path, { title: 'Three' })).body.data).toMatchObject({ slug: 'three', shout: 'THREE' });
    expect((await root.patch(path, { code: 'cd' })).body.data).toMatchObject({ slug: 'three', code: 'CD' });
    const { body } = await root.get('/api/content/cards?select=number,shout').expect(200);
    expect(body.data.items).toEqual([{ number: '*34', shout: 'THREE' }]);
  });

  it('computed values on read cannot be filtered or sorted', async () => {
    await root.get('/api/content/cards?filter={"number":"1234"}').expect(400);
    await root.get('/api/content/cards?sort=number').expect(400);
    await root.get('/api/content/cards/aggregate?max=number').expect(400);
  });
});

describe('expressions accepted by the schema', () => {
  const world = useTestApp();
  const seed = 17;
  let root: TestClient;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
  });

  it('do not fail a request as getters or setters, whichever values are empty', async () => {
    const samples = fc.sample(fc.tuple(anyFieldExpressions, fc.tuple(anyRecord, anyRecord)), { seed, numRuns: 6 });
    for (const [at, [expressions, records]] of samples.entries()) {
      const path = `/api/content/any${at}`;
      await root.post('/api/schema', everyType(`any${at}`, validExpressions(expressions))).expect(201);
      const answers = [];
      for (const record of records) {
        const made = await root.post(path, record);
        answers.push(made, await root.get(path), await root.get(`${path}?select=*&sort=-created_at&cursor=`));
        if (made.status !== 201) continue;
        const own = `${path}/${made.body.data.id}`;
        answers.push(await root.get(own), await root.patch(own, { title: 'x' }), await root.put(own, record));
      }
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    }
  });

  it('do not fail a request as rules', async () => {
    await root.post('/api/schema', everyType('ruled', new Map())).expect(201);
    const [record] = fc.sample(anyRecord, { seed, numRuns: 1 });
    await root.post('/api/content/ruled', record).expect(201);
    const { client } = await personWith(world.app, [{ resource: 'content.ruled.*', value: 'false' }]);
    const [{ id } = { id: '' }] = await world.app.sql<{ id: string }>(
      "SELECT id FROM permissions WHERE resource = 'content.ruled.*'",
    );
    let accepted = 0;
    const large = [
      'record.o_float32 == 1e300',
      'record.o_int64 < 18446744073709551615u',
      'record.o_int8 in [18446744073709551615u, 1u]',
    ];
    for (const value of [...large, ...fc.sample(anyRule, { seed, numRuns: 200 })]) {
      const saved = await root.patch(`/api/content/permissions/${id}`, { resource: 'content.ruled.*', value });
      expect(saved.status).toBeLessThan(500);
      if (saved.status !== 200) continue;
      accepted += 1;
      const path = '/api/content/ruled';
      const answers = [
        await client.get(path),
        await client.get(`${path}/aggregate?count=*`),
        await client.post(path, record),
      ];
      expect({ value, failed: answers.filter(({ status }) => status >= 500).length }).toEqual({ value, failed: 0 });
    }
    expect(accepted).toBeGreaterThan(20);
  });
});
