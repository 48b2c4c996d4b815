import { CONTENT_SEGMENTS, reservedSchemaName } from '../../../src/data/model/identifiers.js';
import { ContentCheck } from '../../../src/data/content/access/content-check.service.js';
import { DescribedRoutes } from '../../../src/edge/openapi/routes/described-routes.service.js';
import { field } from '../../support/schema-definitions.js';
import { asAdmin } from '../../support/schema-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const RESERVED = ['', '.', '..', 'a\nb', '\u0001', '\u007f', 'a\u0085', ...CONTENT_SEGMENTS];
const ALLOWED = ['a/b', '/', '...', 'Export', 'exports', 'id', 'restore', 'batch', ' ', '%2e', 'ä', '😀', '?', '#'];
const DEFINITION = {
  name: 'doc',
  namespace: 'docs',
  label_field: 'slug',
  primary_field: 'slug',
  fields: [field('string', 'slug'), field('string', 'text', { optional: true })],
};

describe('text keys', () => {
  const world = useTestApp();
  let admin: TestClient;
  beforeAll(async () => {
    admin = await asAdmin(world.app);
    await admin.post('/api/schema', DEFINITION).expect(201);
  });

  const refusal = [expect.objectContaining({ field: expect.stringMatching(/slug$/), code: 'value_reserved' })];

  it.each(RESERVED)('cannot be %j, however the record is created', async (slug) => {
    const one = await admin.post('/api/content/docs', { slug }).expect(400);
    expect(one.body.data).toMatchObject({ error: 'field_invalid', errors: refusal });
    const list = await admin.post('/api/content/docs', [{ slug: 'fine' }, { slug }]).expect(400);
    expect(list.body.data.errors).toEqual(refusal);
    const operations = [{ op: 'create', schema: 'doc', data: { slug } }];
    expect((await admin.post('/api/batch', { operations }).expect(400)).body.data.errors).toEqual(refusal);
    const lines = `${JSON.stringify({ slug })}\n`;
    const file = await admin.post('/api/content/docs/import').type('application/x-ndjson').send(lines).expect(400);
    expect(file.body.data.errors).toEqual(refusal);
    expect((await admin.get('/api/content/docs').expect(200)).body.data.total).toBe(0);
  });

  it.each(ALLOWED)('can be %j, and the URL returns the record', async (slug) => {
    await admin.post('/api/content/docs', { slug, text: 'x' }).expect(201);
    const path = `/api/content/docs/${encodeURIComponent(slug)}`;
    expect((await admin.get(path).expect(200)).body.data).toMatchObject({ slug, text: 'x' });
    await admin.patch(path, { text: 'y' }).expect(200);
    await admin.delete(path).expect(200);
    await world.app.sql('DELETE FROM docs');
  });

  it('that became reserved are readable by a filter', async () => {
    await world.app.sql(`INSERT INTO docs (slug, created_at, updated_at) VALUES ('export', now(), now())`);
    const filter = encodeURIComponent(JSON.stringify({ slug: 'export' }));
    expect((await admin.get(`/api/content/docs?filter=${filter}`).expect(200)).body.data.items).toMatchObject([
      { slug: 'export' },
    ]);
    await admin.patch(`/api/content/docs?filter=${filter}`, { text: 'found' }).expect(200);
    await world.app.get(ContentCheck).reportReservedKeys();
    expect(world.app.log.join('')).toMatch(/Records of \\"doc\\" have keys that no route can reach: .*export/);
    await world.app.sql('DELETE FROM docs');
  });

  it('are reserved for the segments of the content routes, and schema names for those of the schema routes', async () => {
    await admin.get('/api/openapi.json').expect(200);
    const routes = world.app
      .get(DescribedRoutes)
      .list()
      .map(({ method, path }) => ({ method, parts: path.split('/').slice(1) }));
    const inContent = routes.filter(({ parts }) => parts[0] === 'api' && parts[1] === 'content');
    const segments = inContent.flatMap(({ parts: [, , , segment] }) => segment ?? []);
    expect([...new Set(segments)].filter((segment) => !segment.startsWith('{')).toSorted()).toEqual(CONTENT_SEGMENTS);
    const named = routes.filter(
      ({ method, parts }) => parts[1] === 'schema' && ['get', 'put', 'delete'].includes(method),
    );
    const names = named.flatMap(({ parts: [, , name] }) => name ?? []).filter((name) => /^[a-z]\w*$/i.test(name));
    expect(names.toSorted()).toEqual(['export', 'history']);
    for (const name of names) expect(reservedSchemaName(name)).toBeDefined();
    for (const name of ['validate', 'plan', 'import', 'undo', 'definition', 'order'])
      expect(reservedSchemaName(name)).toBeUndefined();
  });
});
