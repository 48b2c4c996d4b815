import { randomUUID } from 'node:crypto';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const VAULTS = '/api/content/vault';

describe('an error response does not reveal', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const schemas = [
      schema(
        'vault',
        [
          field('string', 'secret_code', { optional: true }),
          field('string', 'secret_mark', { optional: true, unique: true }),
          field('string', 'secret_echo', { optional: true, size: 8, setter: 'record.title + record.title' }),
          field('string', 'owner', { optional: true, default: '' }),
          relation('safe', 'safe', 'vaults', 'm2o'),
        ],
        { db: { indexes: [{ columns: ['title', 'secret_code'], unique: true }] } },
      ),
      schema('safe', [
        field('string', 'secret_needed'),
        { ...relation('secret_room', 'room', 'safes', 'm2o'), optional: false },
        relation('vaults', 'vault', 'safe', 'o2m', { owner: true }),
      ]),
      schema('room', [relation('safes', 'safe', 'secret_room', 'o2m', { owner: true })]),
    ];
    await root.post('/api/schema', { schemas }).expect(201);
    await root.post(VAULTS, { title: 'a', secret_code: 'x' }).expect(201);
  });

  const limited = () =>
    personWith(world.app, [
      {
        resource: 'content.vault.*',
        value: 'allow',
        fields: { read: ['id', 'title'], write: ['title', 'safe', 'owner'] },
      },
      { resource: 'content.safe.*', value: 'allow', fields: { read: ['id'], write: ['title'] } },
    ]);

  it('names of required fields that the caller can neither read nor write', async () => {
    const { client } = await limited();
    const operations = [{ op: 'create', schema: 'safe', data: { title: 's' } }];
    const refusals = [
      client.post('/api/content/safe', { title: 's' }),
      client.post('/api/content/safe', [{ title: 's' }]),
      client.post('/api/content/safe', { title: 's' }).set('idempotency-key', randomUUID()),
      client.post('/api/batch', { operations }),
      client.post(VAULTS, { title: 'nested', safe: { title: 's' } }),
      client.put(`/api/content/safe/${randomUUID()}`, { title: 's' }),
    ];
    for (const request of refusals) {
      const { status, text } = await request;
      expect([status, text]).toEqual([expect.any(Number), expect.not.stringContaining('secret')]);
      expect([400, 404]).toContain(status);
    }
    const revealed = await client.post('/api/content/safe', {}).expect(400);
    expect(revealed.body.data.errors).toEqual([
      { field: 'title', code: 'required', message: expect.any(String) },
      { field: 'safe', code: 'required', message: expect.any(String) },
    ]);
    const nested = await client.post(VAULTS, { title: 'n', safe: { title: 's' } }).expect(400);
    expect(nested.body.data.errors).toEqual([{ field: 'safe', code: 'required', message: expect.any(String) }]);
    const full = await root.post('/api/content/safe', {}).expect(400);
    expect(full.body.data.errors.map((error: { field: string }) => error.field)).toEqual([
      'title',
      'secret_needed',
      'secret_room',
    ]);
  });

  it('names in unique_violation, or of a field filled by a setter', async () => {
    const { client } = await limited();
    await root.post(VAULTS, { title: 'm', secret_mark: 'm' }).expect(201);
    const free = (await root.post(VAULTS, { title: 'b', secret_code: 'x' }).expect(201)).body.data.id as string;
    const operations = [{ op: 'update', schema: 'vault', id: free, data: { title: 'a' } }];
    for (const request of [
      client.patch(`${VAULTS}/${free}`, { title: 'a' }),
      client.patch(`${VAULTS}/${free}`, { title: 'a' }).set('idempotency-key', randomUUID()),
      client.patch(`${VAULTS}?filter=${encodeURIComponent('{"title":"b"}')}`, { title: 'a' }),
      client.post('/api/batch', { operations }),
    ]) {
      const { body } = await request.expect(409);
      expect(body.data.errors).toEqual([{ field: 'title', code: 'unique_violation', message: expect.any(String) }]);
    }
    const named = await root.patch(`${VAULTS}/${free}`, { title: 'a' }).expect(409);
    expect(named.body.data.errors.map((error: { field: string }) => error.field)).toEqual(['title', 'secret_code']);
    const long = await client.post(VAULTS, { title: 'longer' }).expect(400);
    expect(long.body.data.errors).toEqual([{ field: 'vault', code: 'value_invalid', message: expect.any(String) }]);
    await root.post(VAULTS, { title: 'longer' }).expect(400);
  });

  it('which unique values are taken, to callers who may not write them', async () => {
    await root.post(VAULTS, { title: 'u', secret_mark: 'taken' }).expect(201);
    const own = (await root.post(VAULTS, { title: 'own', owner: 'A' }).expect(201)).body.data.id as string;
    const rule = "record.owner == 'A'";
    const { client } = await personWith(world.app, [{ resource: 'content.vault.*', value: rule }]);
    for (const secret_mark of ['taken', 'free']) {
      const body = { title: 'v', owner: 'B', secret_mark };
      const create = { op: 'create', schema: 'vault', data: body };
      const update = { op: 'update', schema: 'vault', id: own, data: body };
      for (const request of [
        client.post(VAULTS, body),
        client.post(VAULTS, [body]),
        client.post(VAULTS, { ...body, safe: null }).set('idempotency-key', randomUUID()),
        client.post('/api/batch', { operations: [create] }),
        client.post('/api/batch', { operations: [update] }),
        client.patch(`${VAULTS}/${own}`, body),
        client.patch(`${VAULTS}/${own}`, body).set('idempotency-key', randomUUID()),
        client.put(`${VAULTS}/${own}`, body),
        client.patch(`${VAULTS}?filter=${encodeURIComponent('{"title":"own"}')}`, body),
      ])
        expect([secret_mark, (await request).status]).toEqual([secret_mark, 403]);
    }
    await client.post(VAULTS, { title: 'v', owner: 'A', secret_mark: 'taken' }).expect(409);
  });

  it('fields that the caller has lost, in a replayed response', async () => {
    const all = { resource: 'content.vault.*', value: 'allow', fields: null };
    const { client, name } = await personWith(world.app, [all]);
    const batch = { operations: [{ op: 'create', schema: 'vault', data: { title: 'k1', secret_code: 'hush' } }] };
    const own = (await client.post(VAULTS, { title: 'k0', secret_code: 'hush' }).expect(201)).body.data.id as string;
    const requests = [
      ['post', VAULTS, { title: 'k2', secret_code: 'hush' }],
      ['post', VAULTS, [{ title: 'k3', secret_code: 'hush' }]],
      ['post', '/api/batch', batch],
      ['patch', `${VAULTS}/${own}`, { owner: 'x' }],
      ['put', `${VAULTS}/${own}`, { title: 'k4', secret_code: 'hush' }],
    ] as const;
    const send = (at: number) => {
      const [method, path, body] = requests[at] ?? requests[0];
      return client[method](path, body).set('idempotency-key', `lost-${at}`);
    };
    const first = await Promise.all(requests.map((_, at) => send(at).then((response) => response)));
    for (const { text } of first) expect(text).toContain('hush');
    const second = await Promise.all(requests.map((_, at) => send(at).then((response) => response)));
    expect(second.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    const bare = (data: unknown): unknown =>
      Array.isArray(data) ? data.map(bare) : { id: (data as { id: string }).id };
    const expected = first.map(({ status, body }) => [status, bare(body.data)]);
    const narrow = { ...all, fields: { read: ['id', 'title'], write: ['title', 'owner', 'secret_code'] } };
    await world.app.get(RoleSeeder).seed([{ name, permissions: [narrow] }]);
    const again = await Promise.all(requests.map((_, at) => send(at).then((response) => response)));
    expect(again.map(({ status, body }) => [status, body.data])).toEqual(expected);
    for (const [at, { headers }] of again.entries()) expect(headers['location']).toBe(first[at]?.headers['location']);
    expect((await root.get(`${VAULTS}?filter=${encodeURIComponent('{"title":"k2"}')}`)).body.data.total).toBe(1);
  });

  it('records that the caller can no longer read, in a replayed response', async () => {
    const { client } = await personWith(world.app, [
      { resource: 'content.vault.*', value: "record.owner == 'A'" },
      { resource: 'content.safe.*', value: "record.title != 'locked'" },
    ]);
    const room = (await root.post('/api/content/room', { title: 'r' }).expect(201)).body.data.id;
    const body = { title: 's', secret_needed: 'n', secret_room: room };
    const safe = (await root.post('/api/content/safe', body).expect(201)).body.data.id as string;
    const vault = (title: string) => ({ title, owner: 'A', secret_code: 'hush' });
    const make = async (title: string) =>
      (await client.post(VAULTS, { ...vault(title), safe }).expect(201)).body.data.id as string;
    const operations = [
      { op: 'create', schema: 'vault', data: vault('w1') },
      { op: 'update', schema: 'vault', id: await make('w2'), data: { secret_code: 'hush' } },
      { op: 'delete', schema: 'vault', id: await make('w3') },
    ];
    const select = 'select=title,secret_code,safe.title';
    const requests = [
      ['post', VAULTS, vault('w4')],
      ['post', VAULTS, [vault('w5'), vault('w6')]],
      ['post', '/api/batch', { operations }],
      ['patch', `${VAULTS}/${await make('w7')}`, { secret_code: 'hush' }],
      ['put', `${VAULTS}/${await make('w8')}`, { ...vault('w8'), safe }],
      ['patch', `${VAULTS}/${await make('w9')}?${select}`, { secret_code: 'hush' }],
    ] as const;
    const all = async () => {
      const answers = [];
      for (const [at, [method, path, sent]] of requests.entries())
        answers.push(await client[method](path, sent).set('idempotency-key', `unread-${at}`));
      return answers.map(({ status, text }) => [status, text]);
    };
    const first = await all();
    for (const [status, text] of first) expect([200, 201, text]).toEqual(expect.arrayContaining([status, text]));
    for (const [, text] of first) expect(text).toContain('hush');
    expect(await all()).toEqual(first);
    const some = (...titles: string[]) => encodeURIComponent(JSON.stringify({ title: { $in: titles } }));
    const revealed = async () => (await all()).map(([, text]) => String(text).includes('hush'));
    // One hidden record in a request is enough.
    for (const title of ['w1', 'w2', 'w4', 'w6', 'w7', 'w8', 'w9'])
      await root.patch(`${VAULTS}?filter=${some(title)}`, { owner: 'B' }).expect(200);
    expect(await revealed()).toEqual(requests.map(() => false));
    await root.patch(`${VAULTS}?filter=${some('w1', 'w2', 'w4', 'w6', 'w7', 'w8', 'w9')}`, { owner: 'A' }).expect(200);
    expect(await revealed()).toEqual(requests.map(() => true));
    await root.delete(`${VAULTS}?filter=${some('w1', 'w4', 'w5', 'w7', 'w8')}`).expect(200);
    expect(await revealed()).toEqual([false, false, false, false, false, true]);
    // The written record is visible, but a record that the response expands is hidden.
    await root.patch(`/api/content/safe/${safe}`, { title: 'locked' }).expect(200);
    expect(await revealed()).toEqual(requests.map(() => false));
    for (const [, text] of await all()) expect(JSON.parse(String(text)).data).toBeDefined();
  });
});
