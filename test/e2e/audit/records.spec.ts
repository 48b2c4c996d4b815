import { AuditTrail } from '../../../src/platform/audit/audit-trail.service.js';
import { Content } from '../../../src/data/content/content.service.js';
import { type EventRow, eventsOf, LOCAL } from '../../support/audit-log.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('auditing of records', () => {
  const world = useTestApp();
  let root: TestClient;
  let rootId: string;

  beforeAll(async () => {
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    [root, rootId] = [world.app.as(token), person.id];
    const schemas = [
      schema('plain'),
      schema('noted', [field('int', 'views', { default: 0 }), relation('kept', 'kept', 'noted', 'm2o')], {
        audit: true,
      }),
      schema('counted', [field('int', 'number')], { audit: true, primary_field: 'number' }),
      schema(
        'kept',
        [field('json', 'meta', { optional: true }), relation('noted', 'noted', 'kept', 'o2m', { owner: true })],
        {
          audit: 'values',
        },
      ),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
  });

  const eventsAbout = (resource: string): Promise<EventRow[]> => eventsOf(world.app, 'resource = $1', [resource]);
  const create = async (name: string, body: object): Promise<string> => {
    const answer = await root.post(`/api/content/${name}`, body).expect(201);
    const { id, number } = (answer.body as { data: { id?: string; number?: number } }).data;
    return id ?? String(number);
  };

  it('contains changes of schemas, one by one', async () => {
    const rows = await eventsOf(world.app, `action = 'schema.change' AND actor = $1`, [`account:${rootId}`]);
    expect(rows.map(({ resource }) => resource).sort()).toEqual([
      'schema:counted',
      'schema:kept',
      'schema:noted',
      'schema:plain',
    ]);
    expect(rows[0]).toMatchObject({
      request_id: expect.any(String),
      address: expect.stringMatching(LOCAL),
      changes: { origin: { after: 'api' } },
    });
  });

  it('contains field names if the schema sets true, by one statement, and nothing of other schemas', async () => {
    const id = await create('noted', { title: 'a secret title', views: 3 });
    await root.patch(`/api/content/noted/${id}`, { views: 4 }).expect(200);
    await root.delete(`/api/content/noted/${id}`).expect(200);
    await root.post(`/api/content/noted/${id}/restore`).expect(200);
    const rows = await eventsAbout(`noted:${id}`);
    expect(rows.map(({ actor, action, changes }) => [actor, action, changes])).toEqual([
      [`account:${rootId}`, 'record.create', { title: {}, views: {} }],
      [`account:${rootId}`, 'record.update', { views: {} }],
      [`account:${rootId}`, 'record.delete', {}],
      [`account:${rootId}`, 'record.restore', {}],
    ]);
    expect(rows.every(({ request_id, address }) => request_id !== null && address !== null)).toBe(true);
    const plain = await create('plain', { title: 'untold' });
    expect(await eventsAbout(`plain:${plain}`)).toEqual([]);
  });

  it('contains a deletion by one statement without cascades, and once for 16 concurrent ones', async () => {
    const ids = await Promise.all([1, 2].map((at) => create('noted', { title: `gone ${at}` })));
    const spy = jest.spyOn(AuditTrail.prototype, 'write');
    await root.delete(`/api/content/noted/${ids[0]}`).expect(200);
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
    const statuses = await Promise.all(
      Array.from({ length: 16 }, () => root.delete(`/api/content/noted/${ids[1]}`).then(({ status }) => status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    for (const id of ids)
      expect((await eventsAbout(`noted:${id}`)).map(({ action }) => action)).toEqual([
        'record.create',
        'record.delete',
      ]);
  });

  it('contains each record of a cascade once', async () => {
    const schemas = [
      schema('shelf', [relation('books', 'book', 'shelf', 'o2m', { owner: true })], { audit: true }),
      schema('book', [relation('shelf', 'shelf', 'books', 'm2o', { on_delete: 'cascade' })], { audit: true }),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
    const shelf = await create('shelf', { title: 's', books: [{ title: 'b1' }, { title: 'b2' }] });
    await root.delete(`/api/content/shelf/${shelf}`).expect(200);
    const gone = await eventsOf(world.app, `action = 'record.delete' AND resource SIMILAR TO '(shelf|book):%'`);
    expect(gone.map(({ resource }) => resource.replace(/:.*/, '')).sort()).toEqual(['book', 'book', 'shelf']);
  });

  it('contains a record whose key the statement creates', async () => {
    const number = await create('counted', { title: 'x' });
    expect(await eventsAbout(`counted:${number}`)).toMatchObject([{ action: 'record.create' }]);
  });

  it('contains values before and after if the schema sets it', async () => {
    const id = await create('kept', { title: 'one', meta: { a: 1 } });
    await root.patch(`/api/content/kept/${id}`, { title: 'two', meta: { a: 1 } }).expect(200);
    await root.delete(`/api/content/kept/${id}`).expect(200);
    expect((await eventsAbout(`kept:${id}`)).map(({ changes }) => changes)).toEqual([
      { title: { after: 'one' }, meta: { after: { a: 1 } } },
      { title: { before: 'one', after: 'two' }, meta: {} },
      { title: { before: 'two' }, meta: { before: { a: 1 } } },
    ]);
    const long = await create('kept', { title: 'long', meta: 'x'.repeat(5_000) });
    expect((await eventsAbout(`kept:${long}`))[0]?.changes).toEqual({ title: { after: 'long' }, meta: {} });
  });

  it('contains every way of writing records', async () => {
    const ways: readonly [string, () => Promise<unknown>, number][] = [
      ['a list', () => root.post('/api/content/noted', [{ title: 'l1' }, { title: 'l2' }]).expect(201), 2],
      ['nested', () => root.post('/api/content/kept', { title: 'n', noted: [{ title: 'n1' }] }).expect(201), 2],
      [
        'a batch',
        () =>
          root
            .post('/api/batch', {
              operations: [
                { op: 'create', schema: 'noted', data: { title: 'b1' } },
                { op: 'create', schema: 'noted', data: { title: 'b2' } },
                { op: 'create', schema: 'plain', data: { title: 'b3' } },
              ],
            })
            .expect(200),
        2,
      ],
      ['a key', () => root.post('/api/content/noted', { title: 'k' }).set('idempotency-key', 'audit-1').expect(201), 1],
      [
        'a key again',
        () => root.post('/api/content/noted', { title: 'k' }).set('idempotency-key', 'audit-1').expect(201),
        0,
      ],
      [
        'a bulk change',
        () => root.patch('/api/content/noted?filter={"title":{"$in":["l1","l2"]}}', { views: 9 }).expect(200),
        2,
      ],
      ['a bulk deletion', () => root.delete('/api/content/noted?filter={"title":{"$in":["l1","l2"]}}').expect(200), 2],
      [
        'code',
        () =>
          world.app
            .get(Content)
            .as('system')
            .schema('noted')
            .create({ title: 'c' } as never),
        1,
      ],
      [
        'a replacement',
        async () =>
          root.put(`/api/content/noted/${await create('noted', { title: 'r' })}`, { title: 'r2' }).expect(200),
        2,
      ],
      ['a refusal', () => root.post('/api/content/noted', { title: 'x', views: 'many' }).expect(400), 0],
    ];
    for (const [way, write, expected] of ways) {
      const before = (await eventsOf(world.app, `action LIKE 'record.%'`)).length;
      await write();
      expect([way, (await eventsOf(world.app, `action LIKE 'record.%'`)).length - before]).toEqual([way, expected]);
    }
    const byCode = await eventsOf(world.app, `actor = 'system' AND action = 'record.create'`);
    expect(byCode).toMatchObject([{ address: null, request_id: null, changes: { title: {} } }]);
  });

  it('contains each of 64 concurrent writes once', async () => {
    const before = (await eventsOf(world.app, `action = 'record.create' AND resource LIKE 'noted:%'`)).length;
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, at) => root.post('/api/content/noted', { title: `at once ${at}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(64);
    expect((await eventsOf(world.app, `action = 'record.create' AND resource LIKE 'noted:%'`)).length - before).toBe(
      64,
    );
  });

  it('contains nothing of a rejected rule', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.noted.create', value: 'allow' },
      { resource: 'content.noted.update', value: 'record.views > 5' },
      { resource: 'content.noted.get', value: 'allow' },
    ]);
    const id = await create('noted', { title: 'small', views: 1 });
    await client.patch(`/api/content/noted/${id}`, { views: 2 }).expect(404);
    expect((await eventsAbout(`noted:${id}`)).map(({ action }) => action)).toEqual(['record.create']);
  });

  it.each([
    ['everything', 'schema.audit.invalid'],
    [1, 'schema.audit.invalid'],
    [{ values: true }, 'schema.audit.invalid'],
  ])('rejects "audit": %j', async (audit, code) => {
    const { body } = await root.post('/api/schema', schema('wrong', [], { audit })).expect(422);
    expect(body.data.field_errors).toMatchObject([{ schema: 'wrong', code, path: '/audit' }]);
  });

  it('starts and stops with the definition of the schema', async () => {
    await root.post('/api/schema', schema('turning', [], { audit: true })).expect(201);
    const id = await create('turning', { title: 'a' });
    await root.put('/api/schema/turning', schema('turning')).expect(200);
    await root.patch(`/api/content/turning/${id}`, { title: 'b' }).expect(200);
    expect((await eventsAbout(`turning:${id}`)).map(({ action }) => action)).toEqual(['record.create']);
    expect((await root.get('/api/schema/turning').expect(200)).body.data.audit).toBeUndefined();
  });
});
