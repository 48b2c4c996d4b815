import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useServiceHome } from '../../support/service-home.js';
import { useTestApp } from '../../support/test-app.js';

jest.setTimeout(120_000);

const PATH = '/api/schema/convert';
const EXAMPLE = join(__dirname, 'projects/fastschema');

describe('a conversion request', () => {
  const world = useTestApp();

  it('needs the permission schema.convert', async () => {
    await world.app.asGuest().post(PATH, { source: 'fastschema', files: [] }).expect(401);
    const { token } = await signedIn(world.app);
    await world.app.as(token).post(PATH, { source: 'fastschema', files: [] }).expect(403);
  });

  it('can be sent with View As', async () => {
    const admin = await asAdmin(world.app);
    const { id } = await personWith(world.app, [{ resource: 'schema.convert', value: 'allow' }]);
    const body = { source: 'fastschema', files: [] };
    await admin.post(PATH, body).set('lintel-view-as', `user:${id}`).expect(200);
    await admin.post(PATH, body).set('lintel-view-as', 'guest').expect(401);
  });

  it('changes nothing, and returns the validation errors of the result beside the current schemas', async () => {
    const admin = await asAdmin(world.app);
    const before = await admin.get('/api/schema').expect(200);
    const text = JSON.stringify({
      name: 'note',
      namespace: 'notes',
      label_field: 'text',
      fields: [{ type: 'text', name: 'text', setter: 'lower($args.Value)' }],
    });
    const { body } = await admin.post(PATH, { source: 'fastschema', files: [{ name: 'note.json', text }] }).expect(200);
    expect(body.data).toEqual({
      schemas: [
        {
          name: 'note',
          namespace: 'notes',
          label_field: 'text',
          fields: [{ type: 'text', name: 'text', setter: 'lower(value)' }],
        },
      ],
      renames: {},
      roles: [],
      notes: [],
      faults: [],
    });
    expect((await admin.get('/api/schema').expect(200)).headers['etag']).toBe(before.headers['etag']);
    await admin.post('/api/schema', { name: 'other', namespace: 'notes', label_field: 'id', fields: [] }).expect(201);
    const again = await admin.post(PATH, { source: 'fastschema', files: [{ name: 'note.json', text }] }).expect(200);
    expect(again.body.data.faults).toEqual([expect.objectContaining({ schema: 'note', code: expect.any(String) })]);
  });

  it.each([
    [{}, ['source', 'files']],
    [{ source: 'access', files: [] }, ['source']],
    [{ source: 'constructor', files: [] }, ['source']],
    [{ source: 'fastschema', files: {} }, ['files']],
    [{ source: 'fastschema', files: [{ name: 'a' }] }, ['files']],
    [{ source: 'fastschema', files: [null] }, ['files']],
    [{ source: 'fastschema', files: [], previous: 'x' }, ['previous']],
  ])('rejects %j, and names the field', async (body, fields) => {
    const admin = await asAdmin(world.app);
    const answer = await admin.post(PATH, body).expect(422);
    expect(answer.body.data.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('schema:convert', () => {
  const world = useServiceHome({ commandsInOneProcess: true });

  it('writes definitions that schema:check accepts, and reports losses, without a database', async () => {
    const out = join(world.home.directory, 'converted');
    const { code, stdout, stderr } = await world.home.run(['schema:convert', 'fastschema', EXAMPLE, '--out', out]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`schema:plan ${out}`) });
    expect(stderr).toContain('data/schemas/product.json /fields/3/setter:');
    const golden = JSON.parse(readFileSync(join(__dirname, 'golden/fastschema.json'), 'utf8')) as {
      schemas: { name: string }[];
    };
    const names = golden.schemas.map(({ name }) => name);
    expect(readdirSync(out)).toEqual(names.map((name) => `${name}.json`).sort());
    expect((await world.home.json<{ schemas: string[] }>('schema:check', out)).schemas.sort()).toEqual(names.sort());
    expect(existsSync(world.home.dataDir)).toBe(false);
  });

  it('prints definitions for pipes, and reports what it cannot convert', async () => {
    const { stdout } = await world.home.run(['schema:convert', 'fastschema', EXAMPLE]);
    expect(JSON.parse(stdout)).toEqual({ schemas: expect.any(Array) });
    expect(await world.home.run(['schema:convert', 'access', EXAMPLE])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no converter for access'),
    });
    const nowhere = join(world.home.directory, 'nowhere');
    expect(await world.home.run(['schema:convert', 'fastschema', nowhere])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${nowhere} does not exist`),
    });
  });
});
