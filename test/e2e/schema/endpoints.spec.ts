import { zipArchive } from '../../../src/data/schema/api/zip-archive.js';
import { definitionJsonSchema } from '../../../src/data/schema/definition/definition-json-schema.js';
import { asAdmin, codesOf, columnsOf } from '../../support/schema-fixture.js';
import { blog, field, schema } from '../../support/schema-definitions.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const PATH = '/api/schema';

describe('the schema endpoints', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
  });

  it('return 201 for a new schema and 200 for the same again, and create its table', async () => {
    const definition = schema('note', [field('datetime', 'due', { optional: true })]);
    const { body, headers } = await admin.post(PATH, definition).expect(201);
    expect(body.data).toMatchObject({ name: 'note', namespace: 'notes', label_field: 'title' });
    expect(body.data.fields[1]).toEqual({ type: 'time', name: 'due', optional: true });
    expect(await columnsOf(world.app, 'notes')).toMatchObject({
      id: 'uuid required',
      title: 'character varying(255) required',
      due: 'timestamp(3) with time zone',
      deleted_at: 'timestamp(3) with time zone',
    });
    const again = await admin.post(PATH, body.data).expect(200);
    expect(again.body).toEqual(body);
    expect(again.headers['etag']).toBe(headers['etag']);
    expect((await admin.get(`${PATH}/note`).expect(200)).body).toEqual(body);
  });

  it('apply many schemas in one request, and return them as a list', async () => {
    const { body } = await admin.post(PATH, { schemas: blog() }).expect(201);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['author', 'profile', 'post', 'tag']);
    const list = await admin.get(PATH).expect(200);
    expect(list.body.data.map(({ name }: { name: string }) => name)).toEqual(
      ['author', 'file', 'note', 'permission', 'post', 'profile', 'role', 'session', 'tag', 'user', 'view'].sort(),
    );
    const exported = await admin.get(`${PATH}/export`).expect(200);
    const zip = await admin
      .get(`${PATH}/export?format=zip`)
      .buffer()
      .expect('content-type', 'application/zip')
      .expect(200);
    expect(zip.headers['content-disposition']).toBe('attachment; filename="schemas.zip"');
    await admin.get(`${PATH}/export?format=tar`).expect(400);
    expect((await admin.post(`${PATH}/import`, exported.body.data).expect(200)).body.data).toEqual(
      exported.body.data.schemas,
    );
  });

  it('accept the zip of an export, and report errors with their file', async () => {
    const exported = (await admin.get(`${PATH}/export`).expect(200)).body.data.schemas;
    const zip = await admin.get(`${PATH}/export?format=zip`).responseType('blob').expect(200);
    const send = (archive: Buffer, path = `${PATH}/import`) =>
      admin.post(path).set('content-type', 'application/zip').send(archive);
    expect((await send(zip.body as Buffer).expect(200)).body.data).toEqual(exported);
    const mixed = zipArchive([
      { name: 'README.md', content: '# not a schema' },
      { name: 'packed/one.json', content: JSON.stringify(schema('packed')) },
      { name: 'two.json', content: JSON.stringify({ schemas: [schema('wrapped')] }) },
    ]);
    const { body } = await send(mixed).expect(201);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['packed', 'wrapped']);

    const faulty = zipArchive([{ name: 'bad.json', content: JSON.stringify({ ...schema('bad'), label_field: 'x' }) }]);
    const [fault] = (await send(faulty).expect(422)).body.data.field_errors;
    expect(fault).toMatchObject({ code: 'schema.label_field.not_found', source: 'bad.json', path: '/label_field' });
    const noJson = await send(zipArchive([{ name: 'x.json', content: '{' }])).expect(400);
    expect(noJson.body).toMatchObject({
      message: expect.stringContaining('x.json'),
      data: { error: 'body_malformed' },
    });
    expect((await send(Buffer.from('no archive')).expect(400)).body.data.error).toBe('body_malformed');
    await send(mixed, PATH).expect(415);
    await world.app.asGuest().post(`${PATH}/import`).set('content-type', 'application/zip').send(mixed).expect(401);
  });

  it('return the same errors over POST, PUT, import and validate, as in the specification', async () => {
    await admin.post(PATH, schema('victim')).expect(201);
    const faulty = {
      name: 'victim',
      namespace: 'victims',
      label_field: 'titel',
      fields: [
        { type: 'strin', name: 'title' },
        { type: 'enum', name: 'state' },
        { type: 'relation', name: 'owner' },
        { name: 'untyped' },
        { type: 'string' },
        { type: 'string', name: 'x', setter: 'value +' },
      ],
    };
    const answers = [
      await admin.post(PATH, faulty).expect(422),
      await admin.put(`${PATH}/victim`, faulty).expect(422),
      await admin.post(`${PATH}/import`, faulty).expect(422),
      await admin.post(`${PATH}/validate`, faulty).expect(422),
      await admin.post(`${PATH}/plan`, faulty).expect(422),
    ];
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
    const [first] = answers;
    expect(first?.body).toMatchObject({
      code: '422',
      message: expect.any(String),
      data: { error: 'schema_invalid', schema: 'victim' },
    });
    expect(codesOf(first as never).sort()).toEqual([
      'field.enum.required',
      'field.name.required',
      'field.relation.required',
      'field.setter.compile_error',
      'field.type.invalid',
      'field.type.missing',
      'schema.label_field.not_found',
    ]);
    expect(first?.body.data.field_errors).toContainEqual(
      expect.objectContaining({
        code: 'field.type.invalid',
        field: 'title',
        path: '/fields/0/type',
        suggestion: 'string',
      }),
    );
    expect(first?.body.data.field_errors).toContainEqual(
      expect.objectContaining({ code: 'field.name.required', index: 4, path: '/fields/4/name' }),
    );
    expect(first?.body.data.field_errors).toContainEqual(
      expect.objectContaining({
        code: 'field.setter.compile_error',
        field: 'x',
        path: '/fields/5/setter',
        range: { start: expect.any(Number), end: expect.any(Number) },
      }),
    );
    for (const entry of first?.body.data.field_errors ?? []) {
      expect(typeof entry.message).toBe('string');
      expect(entry.cause).toBeUndefined();
    }
    expect(await columnsOf(world.app, 'victims')).not.toHaveProperty('state');
  });

  it('validate and plan without changes', async () => {
    const before = (await admin.get(PATH).expect(200)).headers['etag'];
    const definition = schema('never', [field('int', 'count', { default: 1 })]);
    expect((await admin.post(`${PATH}/validate`, definition).expect(200)).body.data.name).toBe('never');
    const { body } = await admin.post(`${PATH}/plan`, definition).expect(200);
    expect(body.data).toMatchObject({ loses_data: false, blocked: false, changed: ['never'], removed: [] });
    expect(body.data.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(body.data.steps[0]).toMatchObject({ kind: 'create_table', schema: 'never', words: expect.any(String) });
    expect(body.data.steps[0].sql[0]).toContain('CREATE TABLE "nevers"');
    expect((await admin.get(PATH).expect(200)).headers['etag']).toBe(before);
    await admin.get(`${PATH}/never`).expect(404);
    expect(await columnsOf(world.app, 'nevers')).toEqual({});
  });

  it('apply only the plan that was seen', async () => {
    const definition = schema('planned');
    const { hash } = (await admin.post(`${PATH}/plan`, definition).expect(200)).body.data;
    await admin.post(PATH, schema('meanwhile')).expect(201);
    const refused = await admin.post(`${PATH}?plan=${hash}`, definition).expect(409);
    expect(refused.body.data).toMatchObject({ error: 'plan_changed', plan: expect.any(String) });
    await admin.get(`${PATH}/planned`).expect(404);
    await admin.post(`${PATH}?plan=${refused.body.data.plan}`, definition).expect(201);
  });

  it('return 412 if If-Match names another version', async () => {
    const { headers } = await admin.get(PATH).expect(200);
    const definition = schema('matched');
    const { body } = await admin.post(PATH, definition).set('if-match', '"1"').expect(412);
    expect(body.data).toEqual({ error: 'schema_version_mismatch', version: expect.any(Number) });
    await admin.post(PATH, definition).set('if-match', 'W/"oops"').expect(412);
    await admin.post(PATH, definition).set('if-match', String(headers['etag'])).expect(201);
    await admin.delete(`${PATH}/matched?allow_data_loss=true`).set('if-match', String(headers['etag'])).expect(412);
    await admin.delete(`${PATH}/matched?allow_data_loss=true`).set('if-match', '*').expect(200);
  });

  it('return 404 for an unknown schema, with a similar name', async () => {
    await admin.post(PATH, schema('article')).expect(201);
    for (const answer of [
      await admin.get(`${PATH}/artikle`).expect(404),
      await admin.put(`${PATH}/artikle`, schema('artikle')).expect(404),
      await admin.delete(`${PATH}/artikle`).expect(404),
    ]) {
      expect(answer.body.data).toEqual({ error: 'schema_not_found', suggestion: 'article' });
    }
    for (const name of ['__proto__', 'constructor', 'toString', '%00', 'a%2Fb']) {
      await admin.get(`${PATH}/${name}`).expect(404);
    }
  });

  it('return 400 for unknown parameters', async () => {
    for (const path of ['?x=1', '/note?fields=a', '/export?a=b']) {
      const { body } = await admin.get(`${PATH}${path}`).expect(400);
      expect(body.data.error).toBe('query_invalid');
    }
    for (const path of ['/history?limit=0', '/history?limit=1&limit=2']) {
      const { body } = await admin.get(`${PATH}${path}`).expect(400);
      expect(body.data.error).toBe('request_malformed');
    }
    await admin.post(`${PATH}?allow_data_loss=perhaps`, schema('nobody')).expect(400);
    await admin.post(`${PATH}?back_refs=delete`, schema('nobody')).expect(400);
    await admin.post(`${PATH}?plan=abc`, schema('nobody')).expect(400);
    await admin.get(`${PATH}/nobody`).expect(404);
  });

  it('reject guests and accounts without the permission', async () => {
    const { token } = await signedIn(world.app);
    const user = world.app.as(token);
    const guest = world.app.asGuest();
    for (const [client, status] of [
      [guest, 401],
      [user, 403],
    ] as const) {
      await client.get(PATH).expect(status);
      await client.get(`${PATH}/user`).expect(status);
      await client.get(`${PATH}/export`).expect(status);
      await client.get(`${PATH}/history`).expect(status);
      await client.post(PATH, schema('evil')).expect(status);
      await client.post(`${PATH}/import`, schema('evil')).expect(status);
      await client.post(`${PATH}/validate`, schema('evil')).expect(status);
      await client.post(`${PATH}/plan`, schema('evil')).expect(status);
      await client.post(`${PATH}/undo`).expect(status);
      await client.put(`${PATH}/note`, schema('note')).expect(status);
      await client.delete(`${PATH}/note?allow_data_loss=true`).expect(status);
    }
    await admin.get(`${PATH}/evil`).expect(404);
    await admin.get(`${PATH}/note`).expect(200);
  });

  it('publish the format as a JSON Schema', async () => {
    const { body } = await world.app.asGuest().get(`${PATH}/definition.json`).expect(200);
    expect(body).toEqual(definitionJsonSchema());
    expect(body.anyOf).toHaveLength(3);
  });

  it('add missing back references on request', async () => {
    const parcel = schema('parcel', [
      { type: 'relation', name: 'note', optional: true, relation: { schema: 'note', field: 'parcels', type: 'o2m' } },
    ]);
    const refused = await admin.post(PATH, parcel).expect(422);
    expect(codesOf(refused)).toEqual(['relation.back_ref.missing']);
    await admin.post(`${PATH}?back_refs=create`, parcel).expect(201);
    const { body } = await admin.get(`${PATH}/note`).expect(200);
    expect(body.data.fields).toContainEqual(expect.objectContaining({ name: 'parcels', type: 'relation' }));
  });

  it('do not narrow or remove a system schema, but extend it', async () => {
    expect(codesOf(await admin.delete(`${PATH}/user`).expect(422))).toEqual(['schema.remove.system_schema']);
    const { data } = (await admin.get(`${PATH}/user`).expect(200)).body;
    const extended = { ...data, fields: [...data.fields, { type: 'string', name: 'nickname', optional: true }] };
    await admin.put(`${PATH}/user`, extended).expect(200);
    expect(await columnsOf(world.app, 'users')).toMatchObject({ nickname: 'character varying(255)' });
    const names = (await admin.get(`${PATH}/export`)).body.data.schemas.map(({ name }: { name: string }) => name);
    expect(names).toContain('user');
    expect(names).not.toContain('role');
    await signedIn(world.app);
    const narrowed = { ...extended, fields: extended.fields.filter(({ name }: { name: string }) => name !== 'email') };
    await admin.put(`${PATH}/user?allow_data_loss=true`, narrowed);
    expect(await columnsOf(world.app, 'users')).toHaveProperty('email');
  });

  it('return the history, newest first', async () => {
    const { data } = (await admin.get(`${PATH}/history?limit=2`).expect(200)).body;
    expect(data).toHaveLength(2);
    expect(data[0]).toEqual({
      version: data[1].version + 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      steps: expect.any(Array),
      origin: 'api',
      created_by: expect.any(String),
      created_at: expect.stringMatching(/Z$/),
    });
    const older = (await admin.get(`${PATH}/history?before=${data[1].version}&limit=1`).expect(200)).body.data;
    expect(older[0].version).toBe(data[1].version - 1);
  });

  it('undo the last change if that loses nothing', async () => {
    await admin.post(PATH, schema('draft')).expect(201);
    await admin.put(`${PATH}/draft`, schema('draft', [field('string', 'extra', { optional: true })])).expect(200);
    await world.app.sql(`INSERT INTO drafts (id, title, extra) VALUES (gen_random_uuid(), 'kept', 'mine')`);
    expect((await admin.post(`${PATH}/undo`).expect(409)).body.data.error).toBe('undo_impossible');
    await admin
      .put(`${PATH}/draft`, {
        ...schema('draft', [field('string', 'more', { optional: true })]),
        renames: { fields: { extra: 'more' } },
      })
      .expect(200);
    expect((await world.app.sql('SELECT more FROM drafts'))[0]).toEqual({ more: 'mine' });
    const { body } = await admin.post(`${PATH}/undo`).expect(200);
    expect(body.data[0].fields[1].name).toBe('extra');
    expect((await world.app.sql('SELECT extra FROM drafts'))[0]).toEqual({ extra: 'mine' });
  });
});
