import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { DocumentInHand } from '../../support/openapi-document.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Properties = Record<string, Record<string, unknown>>;

describe('GET /api/openapi.json', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
  });

  const schemaOf = (document: DocumentInHand, name: string): { properties: Properties; required?: string[] } =>
    document.components['schemas']![name] as never;
  const contentPaths = (document: DocumentInHand): string[] =>
    Object.keys(document.paths).filter((path) => path.startsWith('/api/content'));

  it('describes every field with its type, its limits and who sets it', async () => {
    const document = await DocumentInHand.of(root);
    const { properties } = schemaOf(document, 'Post');
    expect(properties).toMatchObject({
      id: { type: 'string', format: 'uuid', readOnly: true },
      title: { type: 'string', maxLength: 255 },
      status: { type: 'string', enum: ['draft', 'published'] },
      views: { type: 'integer', minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 },
      big: { type: ['integer', 'string', 'null'], format: 'int64' },
      raw: { type: ['string', 'null'], contentEncoding: 'base64' },
      score: { type: ['number', 'null'], format: 'double' },
      published_at: { type: ['string', 'null'], format: 'date-time' },
      rank: { type: ['integer', 'null'], minimum: 0, maximum: 255 },
      tags: { type: 'array', items: { $ref: '#/components/schemas/Tag' } },
      created_at: { type: 'string', format: 'date-time', readOnly: true },
      deleted_at: { type: ['string', 'null'], readOnly: true },
    });
    const create = schemaOf(document, 'PostCreate');
    expect(create.required).toEqual(['title']);
    expect(Object.keys(create.properties)).not.toEqual(expect.arrayContaining(['id']));
    expect(create.properties['status']).toMatchObject({ default: 'draft' });
    expect(Object.keys(schemaOf(document, 'PostUpdate').properties)).not.toContain('rank');
    const { password, invite } = schemaOf(document, 'UserCreate').properties;
    expect(password).toMatchObject({ writeOnly: true, minLength: 8 });
    expect(invite).toEqual({ type: 'boolean', writeOnly: true });
    expect(JSON.stringify(schemaOf(document, 'User'))).not.toContain('password');
    expect(document.paths['/api/content/tags/{id}/restore']).toBeUndefined();
    expect(document.paths['/api/content/sessions']).toEqual({ get: expect.anything(), delete: expect.anything() });
  });

  it('describes responses other than JSON and 200: 304, no body, archives, invalid requests', async () => {
    const document = await DocumentInHand.of(root);
    const operation = (method: string, path: string) => document.paths[path]![method]!;
    const { responses, parameters } = operation('get', '/api/openapi.json');
    expect(responses['304']).toMatchObject({ headers: { ETag: expect.anything() } });
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'If-None-Match', in: 'header' }));
    expect(operation('get', '/api/docs').responses['200']).toMatchObject({
      content: { 'text/html': expect.anything() },
    });
    const created = operation('post', '/api/content/posts');
    expect(created.responses['201']).toMatchObject({ description: expect.stringContaining('return=minimal') });
    expect(operation('post', '/api/schema').responses['201']).toEqual(
      expect.objectContaining({ description: expect.not.stringContaining('minimal') }),
    );
    const zip = { 'application/zip': { schema: { type: 'string', format: 'binary' } } };
    expect(operation('get', '/api/schema/export').responses['200']).toMatchObject({ content: zip });
    expect(operation('post', '/api/schema/import').requestBody).toMatchObject({ content: zip });
    const text = { schema: { type: 'string' } };
    expect(operation('post', '/api/content/posts/import').requestBody).toMatchObject({
      content: { 'text/csv': text, 'application/x-ndjson': text },
    });
    for (const { operationId, responses } of document.operations())
      expect([operationId, Object.keys(responses)]).toEqual([operationId, expect.arrayContaining(['408', '431'])]);
  });

  it('has no reference into a schema, and types for all members of a batch and a group', async () => {
    const document = await DocumentInHand.of(root);
    const references = [...JSON.stringify(document.json).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference!,
    );
    expect(references.filter((reference) => reference.split('/').length !== 4)).toEqual([]);
    expect(JSON.stringify(document.json)).not.toContain('$defs');
    const group = schemaOf(document, 'PostGroup').properties;
    expect(group).toMatchObject({
      status: { enum: ['draft', 'published', null] },
      category: { type: ['string', 'null'], format: 'uuid' },
      sum: { properties: { views: { type: ['number', 'string', 'null'] } } },
      max: { properties: { published_at: { type: ['string', 'null'], format: 'date-time' } } },
    });
    expect(Object.keys(group['sum']!['properties'] as object)).not.toContain('title');
    const validate = document.validatorOf({ $ref: '#/components/schemas/Batch' });
    const batches: [unknown, boolean][] = [
      [{ op: 'create', schema: 'tag', data: { title: 'x', tags: [] }, as: 'a' }, true],
      [{ op: 'update', schema: 'tag', id: { $ref: 'a.id' }, data: {} }, true],
      [{ op: 'delete', schema: 'tag', id: 7 }, true],
      [{ op: 'delete', schema: 'tag' }, false],
      [{ op: 'delete', schema: 'tag', id: 7, data: {} }, false],
      [{ op: 'create', schema: 'tag' }, false],
      [{ op: 'upsert', schema: 'tag', data: {} }, false],
    ];
    for (const [one, sound] of batches) expect([one, validate({ operations: [one] })]).toEqual([one, sound]);
  });

  it('shows a guest only the sign-in', async () => {
    const document = await DocumentInHand.of(world.app.asGuest());
    expect(contentPaths(document)).toEqual([]);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/api/auth/local/login', '/healthz']));
    for (const path of ['/api/auth/me', '/api/schema', '/api/batch']) expect(document.paths[path]).toBeUndefined();
    for (const { responses } of document.operations()) expect(JSON.stringify(responses)).not.toContain('x-resource');
  });

  it('shows callers what their permissions allow, field by field', async () => {
    const more = [{ resource: 'content.post.get', value: 'allow', fields: { read: ['id'] } }];
    await world.app.get(RoleSeeder).seed([{ name: 'more', permissions: more }]);
    const { client, id } = await personWith(world.app, [
      { resource: 'content.post.list', value: 'allow', fields: { read: ['id', 'title', 'category', 'tags', 'owner'] } },
      { resource: 'content.post.get', value: 'record.status == "published"', fields: { read: ['id', 'views'] } },
      { resource: 'content.post.update', value: 'allow', fields: { write: ['title', 'rank'] } },
      { resource: 'content.category.list', value: 'allow', fields: { read: ['title'] } },
      { resource: 'content.category.get', value: 'allow', fields: { read: ['title'] } },
      { resource: 'schema.list', value: 'allow' },
    ]);
    const [role] = await world.app.sql<{ id: string }>(`SELECT id FROM roles WHERE name = 'more'`);
    await root.patch(`/api/content/users/${id}`, { roles: { $add: [role!.id] } }).expect(200);
    const document = await DocumentInHand.of(client);
    expect(contentPaths(document)).toEqual([
      '/api/content/categorys',
      '/api/content/categorys/export',
      '/api/content/categorys/{id}',
      '/api/content/posts',
      '/api/content/posts/export',
      '/api/content/posts/{id}',
    ]);
    expect(Object.keys(document.paths['/api/content/posts']!)).toEqual(expect.arrayContaining(['get', 'patch']));
    expect(document.paths['/api/content/posts']).not.toHaveProperty('post');
    expect(Object.keys(schemaOf(document, 'Post').properties)).toEqual(['id', 'views', 'title', 'category']);
    // Only published records show the field. It is null on the others.
    expect(schemaOf(document, 'Post').properties['views']).toMatchObject({ type: ['integer', 'null'] });
    expect(Object.keys(schemaOf(document, 'PostUpdate').properties)).toEqual(['title']);
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/schema'))).toEqual([
      '/api/schema',
      '/api/schema/definition.json',
    ]);
    expect(document.paths['/api/schema']).toEqual({ get: expect.anything() });
  });

  it('is the same text as if hidden parts did not exist', async () => {
    const permissions = [
      { resource: 'content.post.*', value: 'allow', fields: { read: ['title'], write: ['title'] } },
      { resource: 'content.tag.*', value: 'deny' },
    ];
    const { client } = await personWith(world.app, permissions);
    const before = await client.get('/api/openapi.json').expect(200);
    const document = before.body as { components: { schemas: Record<string, object> } };
    // `BegunTotp` has a secret, too. It is documented for every caller.
    const { BegunTotp, ...schemas } = document.components.schemas;
    expect(JSON.stringify(BegunTotp)).toContain('secret');
    const text = JSON.stringify({ ...document, components: { ...document.components, schemas } });
    for (const hidden of ['secret', '/tags', '/Tag', '"category"', '"owner"', 'omment', '"published"'])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);
    const added = {
      name: 'secret_plan',
      namespace: 'secret_plans',
      label_field: 'x',
      fields: [{ type: 'string', name: 'x' }],
    };
    await root.post('/api/schema', added).expect(201);
    const after = await client.get('/api/openapi.json').expect(200);
    expect(after.text).toBe(before.text);
    expect(after.headers['etag']).toBe(before.headers['etag']);
    expect((await root.get('/api/openapi.json')).text).toContain('SecretPlan');
    await root.delete('/api/schema/secret_plan?allow_data_loss=true').expect(200);
    expect((await root.get('/api/openapi.json')).text).not.toContain('SecretPlan');
  });

  it.each(['list', 'get', 'create', 'update', 'delete', 'restore', 'aggregate'])(
    'is valid if only %s is allowed, of one schema or of all',
    async (action) => {
      for (const resource of [`content.post.${action}`, `content.*`]) {
        const fields = { read: ['meta', 'tags', 'category'], write: ['tags', 'comments', 'title'] };
        const { client } = await personWith(world.app, [{ resource, value: 'allow', fields }]);
        const document = await DocumentInHand.of(client);
        expect(document.faults()).toEqual([]);
        expect(contentPaths(document)).not.toEqual([]);
      }
    },
  );

  it('is rebuilt only after a change, and is not stored by shared caches', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.tag.list', value: 'allow' }]);
    const plain = { 'accept-encoding': 'identity' };
    const first = await client.get('/api/openapi.json').set(plain).expect(200);
    expect(first.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
      vary: expect.stringMatching(/Authorization.*Cookie/),
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    const tag = first.headers['etag'] as string;
    const again = await client
      .get('/api/openapi.json')
      .set({ ...plain, 'if-none-match': tag })
      .expect(304);
    expect(again.text).toBe('');
    expect(again.headers['etag']).toBe(tag);
    await root
      .get('/api/openapi.json')
      .set({ ...plain, 'if-none-match': tag })
      .expect(200);
    await world.app
      .asGuest()
      .get('/api/openapi.json')
      .set({ ...plain, 'if-none-match': tag })
      .expect(200);
    const packed = await client.get('/api/openapi.json').set('accept-encoding', 'gzip').expect(200);
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['etag']).not.toBe(tag);
    expect(packed.body).toEqual(first.body);
  });

  it('follows changes of permissions and schemas in the next request', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.tag.list', value: 'allow' }]);
    const name = ((await client.get('/api/auth/permissions')).body as { data: { roles: string[] } }).data.roles[0]!;
    expect(contentPaths(await DocumentInHand.of(client))).toEqual(['/api/content/tags', '/api/content/tags/export']);
    const permissions = [{ resource: 'content.category.list', value: 'allow', fields: null }];
    await world.app.get(RoleSeeder).seed([{ name, permissions }]);
    expect(contentPaths(await DocumentInHand.of(client))).toEqual([
      '/api/content/categorys',
      '/api/content/categorys/export',
    ]);
  });

  it('is one text for two users of one role, unless their rules refer to themselves', async () => {
    const rule = (value: string) => [{ resource: 'content.post.list', value }];
    const texts = async (value: string): Promise<string[]> => {
      const people = [await personWith(world.app, rule(value)), await personWith(world.app, rule(value))];
      return Promise.all(people.map(async ({ client }) => (await client.get('/api/openapi.json')).text));
    };
    const [one, other] = await texts('record.owner == auth.id');
    expect(one).toBe(other);
    const { id } = await personWith(world.app, []);
    const [mine] = await texts(`auth.id == "${id}"`);
    expect(mine).not.toContain('/api/content/posts');
  });

  it('differs for each user of a role whose rule names one of them', async () => {
    const { client: named, id } = await personWith(world.app, []);
    const { client: other, id: otherId } = await personWith(world.app, []);
    const permissions = [{ resource: 'content.tag.list', value: `auth.id == "${id}"`, fields: null }];
    await world.app.get(RoleSeeder).seed([{ name: 'named', permissions }]);
    const [role] = await world.app.sql<{ id: string }>(`SELECT id FROM roles WHERE name = 'named'`);
    for (const person of [id, otherId])
      await root.patch(`/api/content/users/${person}`, { roles: { $set: [role!.id] } }).expect(200);
    for (const _ of [1, 2]) {
      expect(contentPaths(await DocumentInHand.of(other))).toEqual([]);
      expect(contentPaths(await DocumentInHand.of(named))).toEqual(['/api/content/tags', '/api/content/tags/export']);
    }
  });

  it('rejects an invalid token, and accepts a cookie like the header', async () => {
    await world.app
      .as('junk')
      .get('/api/openapi.json')
      .expect(401, /token_invalid/);
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    const { text } = await world.app.asGuest().get('/api/openapi.json').set('cookie', `token=${token}`).expect(200);
    expect(text).toContain('/api/content/tags');
  });

  it('is built once for concurrent requests', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.comment.*', value: 'allow' }]);
    const answers = await Promise.all(Array.from({ length: 16 }, () => client.get('/api/openapi.json').expect(200)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});
