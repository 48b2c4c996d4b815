import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PermissionCheck } from '../../../src/identity/users/roles/permission-check.service.js';
import { SchemaFilesService } from '../../../src/data/schema/schema-files.service.js';
import { SchemaSnapshots } from '../../../src/data/schema/schema-snapshots.service.js';
import { lastReuse } from '../../../src/data/schema/snapshot/name-history.js';
import type { PermissionDefinition } from '../../../src/identity/users/roles/permission-faults.js';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Wanted = Omit<PermissionDefinition, 'fields'> & Partial<PermissionDefinition>;

const WAYS = ['api', 'import', 'files'] as const;

describe('names in a saved permission', () => {
  const world = useTestApp();
  let root: TestClient;
  let counter = 0;

  beforeAll(async () => {
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    root = world.app.as(token);
  });

  const put = async (schemas: unknown[], way: (typeof WAYS)[number] = 'api'): Promise<void> => {
    if (way === 'api') await root.post('/api/schema?allow_data_loss=true', { schemas });
    else if (way === 'import') await root.post('/api/schema/import?allow_data_loss=true', { schemas });
    else {
      const directory = join(world.app.config.dataDir, `way${(counter += 1)}`);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'all.json'), JSON.stringify({ schemas }));
      await world.app.get(SchemaFilesService).apply(directory, { allowDataLoss: true });
    }
  };
  const state = field('string', 'state', { default: 'secret' });
  const kid = (name: string) => schema(`${name}kid`, [relation('parent', name, 'kids', 'm2o'), state]);
  const define = (name: string, ...fields: unknown[]) => [
    schema(name, [...fields, relation('kids', `${name}kid`, 'parent', 'o2m', { owner: true })]),
    kid(name),
  ];
  const made = async (): Promise<string> => {
    const name = `thing${(counter += 1)}`;
    await put(define(name, state));
    await root.post(`/api/content/${name}`, { title: 't', kids: [{ title: 'k' }] }).expect(201);
    return name;
  };
  const dropAndMakeAgain = async (name: string, way: (typeof WAYS)[number] = 'api'): Promise<void> => {
    await put(define(name), way);
    await put(define(name, state), way);
  };
  const asPerson = async (...permissions: Wanted[]) => (await personWith(world.app, permissions)).client;
  const items = async (client: TestClient, path: string) => {
    const { status, body } = await client.get(`/api/content/${path}`);
    return status === 200 ? body.data.items : status;
  };

  it.each(WAYS)('do not apply to a recreated field, over %s', async (way) => {
    const name = await made();
    const resource = `content.${name}`;
    const client = await asPerson(
      { resource: `${resource}.list`, value: 'allow', fields: { read: ['title', 'state'] } },
      { resource: `${resource}.aggregate`, value: 'allow', fields: { read: ['state'] } },
      { resource: `${resource}.update`, value: 'allow', fields: { write: ['title', 'state'] } },
      { resource: `${resource}.get`, value: "record.state == 'secret'" },
    );
    const [{ id } = { id: '' }] = (await root.get(`/api/content/${name}`)).body.data.items;
    expect(await items(client, name)).toEqual([{ title: 't', state: 'secret' }]);
    await client.get(`/api/content/${name}/${id}`).expect(200);
    await client.patch(`/api/content/${name}/${id}`, { state: 'secret' }).expect(200);

    await dropAndMakeAgain(name, way);
    expect(await items(client, name)).toEqual([{ title: 't' }]);
    for (const query of ['?select=state', '?filter={"state":"secret"}', '?sort=state', '/aggregate?max=state'])
      expect([400, 403]).toContain((await client.get(`/api/content/${name}${query}`)).status);
    expect([403, 404]).toContain((await client.get(`/api/content/${name}/${id}`)).status);
    await client.patch(`/api/content/${name}/${id}`, { state: 'mine' }).expect(400);
    await client.patch(`/api/content/${name}/${id}`, { title: 'mine' }).expect(200);
  });

  it('do not apply to it in a guest grant or a grant for all schemas, on another instance or after a restart', async () => {
    const name = await made();
    await world.app.get(RoleSeeder).seed([
      {
        name: 'guest',
        permissions: [{ resource: `content.${name}.list`, value: 'allow', fields: { read: ['state'] } }],
      },
    ]);
    const wide = await asPerson({ resource: 'content.*', value: 'allow', fields: { read: ['state', 'title'] } });
    await dropAndMakeAgain(name);
    const second = await world.app.secondInstance();
    try {
      for (const app of [world.app, second]) {
        expect(await items(app.asGuest(), name)).toEqual([{}]);
        await app.asGuest().get(`/api/content/${name}?select=state`).expect(400);
      }
    } finally {
      await second.stop();
      await world.app.get(RoleSeeder).seed([{ name: 'guest', permissions: [] }]);
    }
    expect(await items(wide, name)).toEqual([{ title: 't' }]);
    // The permission on another schema is unchanged.
    expect(await items(wide, `${name}kid`)).toEqual([{ title: 'k', state: 'secret' }]);
  });

  it('a rule over a relation does not apply to a recreated field', async () => {
    const name = await made();
    const client = await asPerson({ resource: `content.${name}kid.list`, value: "record.parent.state == 'secret'" });
    expect(await items(client, `${name}kid`)).toHaveLength(1);
    await dropAndMakeAgain(name);
    expect(await items(client, `${name}kid`)).toBe(403);
  });

  it('a recreated schema inherits no permission, and denied access stays denied', async () => {
    const name = await made();
    const read = ['title', 'state'];
    const opened: Wanted[] = [
      { resource: `content.${name}.*`, value: 'allow' },
      { resource: `content.${name}.list`, value: 'allow', fields: { read } },
      { resource: `content.${name}.list`, value: "record.state == 'secret'" },
      { resource: 'content.*', value: 'allow', fields: { read } },
      { resource: 'content.*', value: "record.state == 'secret'" },
    ];
    const clients = await Promise.all(opened.map((permission) => asPerson(permission)));
    const denied = await asPerson(
      { resource: 'content.*', value: 'allow' },
      { resource: `content.${name}.*`, value: 'deny' },
    );
    for (const client of clients) expect(await items(client, name)).toHaveLength(1);
    expect(await items(denied, name)).toBe(403);

    await put([schema(name), schema(`${name}kid`)]);
    await root.delete(`/api/schema/${name}?allow_data_loss=true`).expect(200);
    await put(define(name, state));
    await root.post(`/api/content/${name}`, { title: 'new' }).expect(201);
    for (const client of clients.slice(0, 3)) expect(await items(client, name)).toBe(403);
    expect(await items(clients[3] as TestClient, name)).toEqual([{}]);
    expect(await items(clients[4] as TestClient, name)).toBe(403);
    expect(await items(denied, name)).toBe(403);
    // A permission that names no schema and no field applies to all of them.
    expect(await items(await asPerson({ resource: 'content.*', value: 'allow' }), name)).toHaveLength(1);
  });

  it('undoing the drop restores the grant, with the field or the schema', async () => {
    const name = await made();
    const client = await asPerson({ resource: `content.${name}.list`, value: 'allow', fields: { read: ['state'] } });
    await put(define(name));
    expect(await items(client, name)).toEqual([{}]);
    await root.post('/api/schema/undo').expect(200);
    expect(await items(client, name)).toEqual([{ state: 'secret' }]);

    const lone = `lone${counter}`;
    await put([schema(lone, [state])]);
    await root.post(`/api/content/${lone}`, { title: 't' }).expect(201);
    const other = await asPerson({ resource: `content.${lone}.list`, value: "record.state == 'secret'" });
    await root.delete(`/api/schema/${lone}?allow_data_loss=true`).expect(200);
    expect(await items(other, lone)).toBe(403);
    await root.post('/api/schema/undo').expect(200);
    expect(await items(other, lone)).toHaveLength(1);
  });

  it('do not follow exchanged names', async () => {
    const name = `hand${(counter += 1)}`;
    const hands = schema(name, [field('string', 'lefty'), field('string', 'righty')]);
    await put([hands]);
    await root.post(`/api/content/${name}`, { title: 't', lefty: 'L', righty: 'R' }).expect(201);
    const client = await asPerson({ resource: `content.${name}.list`, value: 'allow', fields: { read: ['lefty'] } });
    expect(await items(client, name)).toEqual([{ lefty: 'L' }]);
    const swap = { ...hands, renames: { fields: { lefty: 'righty', righty: 'lefty' } } };
    await root.put(`/api/schema/${name}`, swap).expect(200);
    expect(await items(client, name)).toEqual([{}]);
    await root.put(`/api/schema/${name}`, swap).expect(200);
    expect(await items(client, name)).toEqual([{}]);
  });

  it('may refer to a missing schema, and bind to the first one with the name', async () => {
    const name = `later${(counter += 1)}`;
    const client = await asPerson(
      { resource: `content.${name}.list`, value: 'allow', fields: { read: ['title', 'state'] } },
      { resource: `content.${name}.get`, value: "record.state == 'secret'" },
    );
    await put([schema(name)]);
    const { body } = await root.post(`/api/content/${name}`, { title: 't' }).expect(201);
    expect(await items(client, name)).toEqual([{ title: 't' }]);
    await put([schema(name, [state])]);
    expect(await items(client, name)).toEqual([{ title: 't', state: 'secret' }]);
    await client.get(`/api/content/${name}/${body.data.id}`).expect(200);
    await put([schema(name)]);
    await put([schema(name, [state])]);
    expect(await items(client, name)).toEqual([{ title: 't' }]);
    await client.get(`/api/content/${name}/${body.data.id}`).expect(403);
  });

  it('bind to the current schema when saved again, over the API or from a roles file', async () => {
    const name = await made();
    const resource = `content.${name}.list`;
    const wanted = { resource, value: 'allow', fields: { read: ['state'] } };
    await world.app.get(RoleSeeder).seed([{ name: 'again', permissions: [wanted] }]);
    const { token } = await signedIn(world.app, { roles: ['again'] });
    const client = world.app.as(token);
    const { history } = world.app.get(SchemaSnapshots).current;
    const seed = (reusedAt: number, dryRun = false) =>
      world.app.get(RoleSeeder).seed([{ name: 'again', permissions: [wanted] }], { reusedAt, dryRun });
    expect(await seed(lastReuse(history))).toEqual([]);

    await dropAndMakeAgain(name);
    expect(await items(client, name)).toEqual([{}]);
    const newest = lastReuse(world.app.get(SchemaSnapshots).current.history);
    expect(await seed(newest, true)).toEqual([{ action: 'update', role: 'again', resource, detail: 'allow' }]);
    expect(await items(client, name)).toEqual([{}]);
    expect(await seed(newest)).toHaveLength(1);
    expect(await seed(newest)).toEqual([]);
    expect(await items(client, name)).toEqual([{ state: 'secret' }]);

    await dropAndMakeAgain(name);
    expect(await items(client, name)).toEqual([{}]);
    const filter = encodeURIComponent(JSON.stringify({ resource }));
    const [{ id } = { id: '' }] = (await root.get(`/api/content/permissions?filter=${filter}`)).body.data.items;
    await root.patch(`/api/content/permissions/${id}`, { fields: { read: ['state'] } }).expect(200);
    expect(await items(client, name)).toEqual([{ state: 'secret' }]);
  });

  it('that are missing or dropped are logged at the start', async () => {
    const name = await made();
    const about = (action: string) => `content.${name}.${action}`;
    const { name: role } = await personWith(world.app, [
      { resource: about('list'), value: 'allow', fields: { read: ['title', 'state'] } },
      { resource: about('get'), value: "record.state == 'secret'" },
      { resource: about('delete'), value: 'Deny' },
      { resource: 'acme.orders.*', value: 'perhaps not' },
      { resource: about('update'), value: 'record.owner == auth.id' },
      { resource: about('create'), value: 'allow' },
    ]);
    await dropAndMakeAgain(name);
    const found = (await world.app.get(PermissionCheck).faults()).filter((entry) => entry.role === role);
    expect(found.map(({ resource, reason }) => [resource, reason])).toEqual([
      ['acme.orders.*', expect.stringMatching(/^value must be allow, deny, or a rule: .+/)],
      [about('delete'), expect.stringContaining('Deny')],
      [about('get'), expect.stringContaining(`${name}.state was replaced`)],
      [about('list'), expect.stringContaining(`${name}.state was replaced`)],
      [about('update'), expect.stringContaining('owner')],
    ]);
    const second = await world.app.secondInstance();
    try {
      const warnings = second.log.filter((line) => line.includes(`"${role}"`) && line.includes('Save it again'));
      expect(warnings).toHaveLength(5);
    } finally {
      await second.stop();
    }
  });
});
