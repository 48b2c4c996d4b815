import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { SchemaFilesService } from '../../../src/data/schema/schema-files.service.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Numbers that JavaScript cannot represent exactly, in several spellings. */
const ROUNDED = [
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '9007199254740993.0',
  '9007199254740993e0',
  '0.1234567890123456789',
  '1e-400',
  '{"v":9007199254740993}',
  '[[1,{"a":[18446744073709551615]}]]',
];
/** JSON that is stored and returned without a change of value. */
const KEPT = [
  '9007199254740992',
  '0.1',
  '-1.5e-7',
  '1e21',
  '{"v":"9007199254740993"}',
  '[0.30000000000000004,5e-324,1e2]',
];

describe('numbers in json fields', () => {
  const world = useTestApp();
  let token: string;
  let root: TestClient;

  beforeAll(async () => {
    ({ token } = await signedIn(world.app, { roles: ['admin'] }));
    root = world.app.as(token);
    const meta = field('json', 'meta', { optional: true });
    await root
      .post('/api/schema', {
        schemas: [
          schema('note', [
            meta,
            field('float64', 'score', { optional: true }),
            field('int64', 'big', { optional: true }),
            relation('parts', 'part', 'note', 'o2m', { owner: true }),
          ]),
          schema('part', [meta, relation('note', 'note', 'parts', 'm2o')]),
          schema('rendered', [meta, field('string', 'loud', { optional: true, getter: 'value + "!"' })]),
          schema('made', [field('json', 'meta', { optional: true, setter: 'value' })]),
        ],
      })
      .expect(201);
  });

  /** Sends the text unchanged: no client of ours may round it first. */
  const send = (method: 'post' | 'patch' | 'put', path: string, text: string) =>
    request(world.app.server)
      [method](path)
      .set('Authorization', `Bearer ${token}`)
      .set('Content-Type', 'application/json')
      .send(text);
  const stored = (table: string) => world.app.sql(`SELECT count(*)::int AS n FROM "${table}" WHERE meta IS NOT NULL`);

  it.each(ROUNDED)('%s is rejected by its field, for every way of writing', async (literal) => {
    const { body } = await root.post('/api/content/note', { title: 't' }).expect(201);
    const one = `/api/content/note/${body.data.id}`;
    const filter = encodeURIComponent(JSON.stringify({ id: body.data.id }));
    const data = `{"title":"t","meta":${literal}}`;
    const operation = (more: string) => `{"operations":[{"schema":"note","data":${data},${more}}]}`;
    for (const [method, path, text, at] of [
      ['post', '/api/content/note', data, 'meta'],
      ['post', '/api/content/note', `[{"title":"s"},${data}]`, 'meta'],
      ['post', '/api/content/made', data, 'meta'],
      ['patch', one, `{"meta":${literal}}`, 'meta'],
      ['put', one, data, 'meta'],
      ['patch', `/api/content/note?filter=${filter}`, `{"meta":${literal}}`, 'meta'],
      ['post', '/api/batch', operation('"op":"create"'), 'meta'],
      ['post', '/api/batch', operation(`"op":"update","id":"${body.data.id}"`), 'meta'],
      ['post', '/api/content/note', `{"title":"t","parts":[${data}]}`, 'parts'],
      ['patch', one, `{"parts":{"$add":[${data}]}}`, 'parts'],
    ] as const) {
      const refused = await send(method, path, text);
      expect({ path, text, status: refused.status }).toEqual({ path, text, status: 400 });
      expect(refused.body.data).toMatchObject({ error: 'field_invalid' });
      const [fault] = refused.body.data.errors;
      expect(fault).toMatchObject({ code: 'value_invalid', message: expect.stringContaining('write it as text') });
      expect(fault.field).toContain(at);
    }
    for (const table of ['note', 'part', 'made']) expect(await stored(`${table}s`)).toEqual([{ n: 0 }]);
  });

  it.each(KEPT)('%s is stored unchanged', async (literal) => {
    const { body } = await send('post', '/api/content/rendered', `{"title":"t","loud":"x","meta":${literal}}`).expect(
      201,
    );
    expect(body.data).toMatchObject({ meta: JSON.parse(literal), loud: 'x!' });
    const path = `/api/content/rendered/${body.data.id}`;
    const [row] = await world.app.sql<{ same: boolean }>(
      'SELECT meta = $2::jsonb AS same FROM rendereds WHERE id = $1',
      [body.data.id, literal],
    );
    expect(row).toEqual({ same: true });
    expect((await root.get(path).expect(200)).body.data.meta).toEqual(JSON.parse(literal));
    await root.delete(path).expect(200);
  });

  it('a float stores the nearest number, and an integer beyond 2^53 is text', async () => {
    const { body } = await send(
      'post',
      '/api/content/note',
      '{"title":"t","score":0.1234567890123456789,"big":"9007199254740993"}',
    );
    expect(body.data).toMatchObject({ score: 0.12345678901234568, big: '9007199254740993' });
    await send('post', '/api/content/note', '{"title":"t","big":9007199254740993}').expect(400);
    await send(
      'post',
      '/api/batch',
      '{"operations":[{"op":"create","schema":"note","data":{"title":"t","score":0.1234567890123456789}}]}',
    ).expect(200);
  });

  it.each(['9007199254740993', '{"a":[0.1234567890123456789]}'])(
    'a default of %s is rejected in a definition',
    async (literal) => {
      const definition = (type: string, value: string) =>
        `{"name":"fallen","namespace":"fallens","label_field":"title","fields":[{"type":"string","name":"title"},{"type":"${type}","name":"x","default":${value}}]}`;
      for (const path of ['/api/schema', '/api/schema/validate', '/api/schema/plan', '/api/schema/import']) {
        const refused = await send('post', path, definition('json', literal)).expect(422);
        expect(refused.body.data.field_errors[0]).toMatchObject({ code: 'field.default.invalid' });
      }
      const directory = join(world.app.config.dataDir, 'rounded');
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'fallen.json'), definition('json', literal));
      await expect(world.app.get(SchemaFilesService).apply(directory, {})).rejects.toMatchObject({
        details: { error: 'schema_invalid' },
      });
      await send('post', '/api/schema/validate', definition('float64', '0.1234567890123456789')).expect(200);
      await send('post', '/api/schema/validate', definition('json', '{"a":0.1}')).expect(200);
    },
  );

  it('values written to the table outside the API are returned unchanged, also beside a getter', async () => {
    const { body } = await root.post('/api/content/rendered', { title: 't', loud: 'x' }).expect(201);
    const meta = '{"v": 9007199254740993, "w": [0.1234567890123456789]}';
    await world.app.sql('UPDATE rendereds SET meta = $1 WHERE id = $2', [meta, body.data.id]);
    for (const path of [`/api/content/rendered/${body.data.id}`, '/api/content/rendered']) {
      const { text } = await root.get(path).expect(200);
      expect(text).toContain('9007199254740993');
      expect(text).toContain('0.1234567890123456789');
      expect(text).toContain('"x!"');
    }
  });

  it('integers beyond 2^53 become text when their field becomes json', async () => {
    const wide = (type: string) => schema('wide', [field(type, 'x', { optional: true })]);
    await root.post('/api/schema', wide('uint64')).expect(201);
    const values = ['9007199254740993', '18446744073709551615', 9007199254740991, 0];
    for (const x of values) await root.post('/api/content/wide', { title: 't', x }).expect(201);
    const all = async () =>
      (await root.get('/api/content/wide?sort=id')).body.data.items.map(({ x }: { x: unknown }) => x);
    expect(await all()).toEqual(values);
    await root.put('/api/schema/wide', wide('json')).expect(200);
    expect(await all()).toEqual(values);
  });
});
