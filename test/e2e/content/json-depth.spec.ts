import { makeMagazine } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

/** Maximum number of levels in a body (docs/guides/data/writing-records.md, "Limits"). */
const MOST = 40;
const LISTS = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const OBJECTS = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);
const MIXED = (levels: number): string =>
  '[{"a":'.repeat(levels / 2) + (levels % 2 === 0 ? '0' : '[]') + '}]'.repeat(levels / 2);

describe('levels of a json value', () => {
  const world = useTestApp();
  let root: TestClient;
  let id: string;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    id = (await root.post('/api/content/posts', { title: 'x' }).expect(201)).body.data.id;
  });

  const send = (method: 'post' | 'patch', path: string, text: string, type = 'application/json') =>
    root[method](path).set('content-type', type).send(text);

  /** Kinds of write, with the number of levels around the value. */
  const ways: readonly (readonly [string, number, (value: string) => ReturnType<typeof send>])[] = [
    ['a create', 1, (value) => send('post', '/api/content/posts', `{"title":"x","meta":${value}}`)],
    ['a list', 2, (value) => send('post', '/api/content/posts', `[{"title":"x","meta":${value}}]`)],
    ['a change', 1, (value) => send('patch', `/api/content/posts/${id}`, `{"meta":${value}}`)],
    ['a bulk change', 1, (value) => send('patch', '/api/content/posts?filter={}', `{"meta":${value}}`)],
    [
      'a batch',
      4,
      (value) =>
        send(
          'post',
          '/api/batch',
          `{"operations":[{"op":"create","schema":"post","data":{"title":"x","meta":${value}}}]}`,
        ),
    ],
    ['a JSON import', 1, (value) => send('post', '/api/content/posts/import', `[{"title":"x","meta":${value}}]`)],
    [
      'an NDJSON import',
      1,
      (value) => send('post', '/api/content/posts/import', `{"title":"x","meta":${value}}`, 'application/x-ndjson'),
    ],
    [
      'a CSV import',
      0,
      (value) =>
        send('post', '/api/content/posts/import', `title,meta\nx,"${value.replaceAll('"', '""')}"`, 'text/csv'),
    ],
  ];

  it.each(ways)('are kept up to the limit and refused above it: %s', async (name, around, write) => {
    for (const nest of [LISTS, OBJECTS, MIXED]) {
      const value = nest(MOST - around);
      const good = await write(value);
      expect([name, good.status < 300, good.body]).toEqual([name, true, good.body]);
      const bad = await write(nest(MOST - around + 1)).expect(400);
      const text = JSON.stringify(bad.body);
      if (name !== 'a CSV import') expect(text).toMatch(/body_too_deep.*|.*40 levels/);
    }
  });

  it('are returned as they were sent', async () => {
    const value = MIXED(38);
    await send('patch', `/api/content/posts/${id}`, `{"meta":${value}}`).expect(200);
    const { body } = await root.get(`/api/content/posts/${id}`).expect(200);
    expect(JSON.stringify(body.data.meta)).toBe(value);
  });

  it('are named by the error', async () => {
    const { body } = await send('post', '/api/content/posts', `{"title":"x","meta":${LISTS(40)}}`).expect(400);
    expect(body).toEqual({
      code: '400',
      message: 'The body has more than 40 levels of objects and lists.',
      data: { error: 'body_too_deep' },
    });
  });
});
