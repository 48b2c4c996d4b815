import { Content } from '../../../src/data/content/content.service.js';
import { outcome } from '../../support/api-keys.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { relation, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const AUTHOR = { schema: 'user', field: 'letters', type: 'o2m' };

describe('default: "auth.id"', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const schemas = [
      schema('letter', [
        { type: 'relation', name: 'author', default: 'auth.id', relation: AUTHOR },
        relation('stamps', 'stamp', 'letter', 'o2m', { owner: true }),
      ]),
      schema('stamp', [
        relation('letter', 'letter', 'stamps', 'm2o'),
        { ...relation('owner', 'user', 'stamps', 'm2o'), default: 'auth.id' },
      ]),
    ];
    await root.post('/api/schema?back_refs=create', { schemas }).expect(201);
  });

  const writer = () =>
    personWith(world.app, [
      { resource: 'content.letter.*', value: 'record.author.id == auth.id' },
      { resource: 'content.stamp.*', value: 'allow' },
    ]);
  const authorOf = async (id: string) =>
    (await world.app.sql<{ author_id: string }>('SELECT author_id FROM letters WHERE id = $1', [id]))[0]!.author_id;

  it('sets the caller as the owner of a new record, also for the rules', async () => {
    const { client, id } = await writer();
    const { body } = await client.post('/api/content/letter', { title: 'Mine' }).expect(201);
    expect(await authorOf(body.data.id as string)).toBe(id);
    const many = await client.post('/api/content/letter', [{ title: 'One' }, { title: 'Two' }]).expect(201);
    for (const one of many.body.data as { id: string }[]) expect(await authorOf(one.id)).toBe(id);
    const batch = { operations: [{ op: 'create', schema: 'letter', data: { title: 'In a batch' } }] };
    await client.post('/api/batch', batch).expect(200);
    expect(await world.app.sql('SELECT 1 FROM letters WHERE author_id = $1', [id])).toHaveLength(4);
  });

  it('applies to nested records and keeps given values', async () => {
    const { client, id } = await writer();
    const stamps = [{ title: 'Blue' }, { title: 'Red', owner: null }];
    await client.post('/api/content/letter', { title: 'With stamps', stamps }).expect(201);
    const found = await world.app.sql<{ title: string; owner_id: string | null }>(
      `SELECT s.title, s.owner_id FROM stamps s JOIN letters l ON l.id = s.letter_id WHERE l.author_id = $1 ORDER BY s.title`,
      [id],
    );
    expect(found).toEqual([
      { title: 'Blue', owner_id: id },
      { title: 'Red', owner_id: null },
    ]);
    const other = await writer();
    const { body } = await root.post('/api/content/letter', { title: 'For them', author: other.id }).expect(201);
    expect(await authorOf(body.data.id as string)).toBe(other.id);
    const stolen = await client.post('/api/content/letter', { title: 'Not mine', author: other.id });
    expect([400, 403]).toContain(stolen.status);
    await client.patch(`/api/content/letter/${body.data.id}`, { title: 'Taken' }).expect(404);
  });

  it('is null for guests and for the application', async () => {
    const guest = (await root.get('/api/content/roles?filter={"name":"guest"}').expect(200)).body.data.items[0];
    for (const resource of ['content.letter.create', 'content.stamp.create'])
      await root.post('/api/content/permission', { role: guest.id, resource, value: 'allow' }).expect(201);
    const refused = await world.app.asGuest().post('/api/content/letter', { title: 'x' });
    expect(outcome(refused)).toEqual([400, 'field_invalid']);
    expect(refused.body.data.errors).toEqual([expect.objectContaining({ field: 'author', code: 'required' })]);
    await world.app.asGuest().post('/api/content/stamp', { title: 'Of nobody' }).expect(201);
    const own = world.app.get(Content).as('system').schema('stamp');
    await own.create({ title: 'Of the house' });
    const rows = await world.app.sql(`SELECT 1 FROM stamps WHERE title LIKE 'Of %' AND owner_id IS NULL`);
    expect(rows).toHaveLength(2);
  });

  it('makes the field optional in the OpenAPI document', async () => {
    const { body } = await root.get('/api/openapi.json').expect(200);
    const { required } = (body as { components: { schemas: Record<string, { required?: string[] }> } }).components
      .schemas['LetterCreate']!;
    expect(required).toEqual(['title']);
  });

  it.each([
    ['another variable', { ...AUTHOR, field: 'drafts' }, 'auth.email'],
    ['a relation to another schema', { schema: 'stamp', field: 'letters2', type: 'o2m' }, 'auth.id'],
    ['a list', { schema: 'user', field: 'letters2', type: 'm2m', owner: true }, 'auth.id'],
    ['the side without the key', { schema: 'user', field: 'letters2', type: 'o2m', owner: true }, 'auth.id'],
  ])('is rejected for %s', async (_what, of, value) => {
    const field = { type: 'relation', name: 'other', optional: true, default: value, relation: of };
    const answer = await root.post('/api/schema/validate?back_refs=create', schema('draft', [field])).expect(422);
    expect((answer.body.data.field_errors as { code: string }[]).map(({ code }) => code)).toEqual([
      'field.default.not_allowed',
    ]);
  });
});
