import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const WORDS = ['violin', 'cello', 'well-known', 'flute', 'a/b', 'oboe'];
const TEXTS = [
  ...WORDS,
  'violin cello',
  'cello or flute',
  '"violin cello"',
  '"cello violin"',
  'violin -flute',
  '-violin',
  '-violin -cello',
  'well-known',
  'a/b',
  '...',
  'T',
  '"',
];

describe('a search by a caller that cannot read every searchable field', () => {
  const world = useTestApp();
  let root: TestClient;
  let reader: TestClient;

  beforeAll(async () => {
    root = world.app.as((await signedIn(world.app, { roles: ['admin'] })).token);
    const searchable = { searchable: true, optional: true };
    const fields = ['first', 'hidden', 'last'].map((name) => field('text', name, searchable));
    const definitions = [schema('score', fields), schema('visible', [fields[0], fields[2]])];
    await root.post('/api/schema', { schemas: definitions }).expect(201);
    const read = ['id', 'title', 'first', 'last'];
    const reading = ['list', 'get'].map((action) => ({
      resource: `content.score.${action}`,
      value: 'allow',
      fields: { read },
    }));
    reader = (await personWith(world.app, reading)).client;
    const text = (at: number) => [WORDS[at % 6], WORDS[(at >> 1) % 6], at % 5 === 0 ? 'violin cello' : ''].join(' ');
    const records = Array.from({ length: 60 }, (_, at) => ({
      title: `${at}`,
      first: at % 7 === 0 ? null : text(at),
      last: text(at + 3),
      hidden: at % 2 === 0 ? text(at * 5 + 1) : null,
    }));
    await root.post('/api/content/score', records).expect(201);
    await root
      .post(
        '/api/content/visible',
        records.map(({ title, first, last }) => ({ title, first, last })),
      )
      .expect(201);
    await root.post('/api/content/score', { title: 'secret', hidden: 'bassoon', first: 'violin' }).expect(201);
  });

  const found = async (client: TestClient, name: string, search: string) => {
    const filter = encodeURIComponent(JSON.stringify({ $search: search, title: { $neq: 'secret' } }));
    const { body } = await client.get(`/api/content/${name}?filter=${filter}&limit=100&sort=id`).expect(200);
    return (body.data.items as { title: string }[]).map(({ title }) => title).sort();
  };

  it.each(TEXTS)('finds by the fields that the caller can read: %s', async (search) => {
    expect(await found(reader, 'score', search)).toEqual(await found(root, 'visible', search));
  });

  it('does not depend on terms in hidden fields', async () => {
    const titles = async (client: TestClient, search: string) => {
      const filter = encodeURIComponent(JSON.stringify({ $search: search, title: 'secret' }));
      return (await client.get(`/api/content/score?filter=${filter}`).expect(200)).body.data.items as unknown[];
    };
    expect(await titles(root, 'bassoon')).toHaveLength(1);
    expect(await titles(reader, 'bassoon')).toEqual([]);
    expect(await titles(reader, 'violin -bassoon')).toHaveLength(1);
    expect(await titles(root, 'violin -bassoon')).toEqual([]);
  });

  it('uses the index for every caller', async () => {
    await world.app.sql(
      `INSERT INTO scores (id, title, first, hidden, last, created_at)
       SELECT gen_random_uuid(), 'many', 'text ' || n, repeat('hidden ', 20), 'piano ' || md5(n::text), now() FROM generate_series(1, 5000) n`,
    );
    await world.app.sql('ANALYZE scores');
    for (const client of [root, reader]) {
      for (const search of ['oboe cello', '"violin cello"', 'oboe -cello']) {
        const sent: { text: string; values: unknown[] }[] = [];
        const driver = (await import('pg')).default.Client.prototype as unknown as {
          query: (...all: unknown[]) => unknown;
        };
        const send = driver.query;
        const spy = jest.spyOn(driver, 'query').mockImplementation(function (this: unknown, ...parameters: unknown[]) {
          const { text, values } = Object(parameters[0]) as { text?: string; values?: unknown[] };
          if (text?.includes('websearch_to_tsquery') === true)
            sent.push({ text, values: values ?? (parameters[1] as unknown[]) });
          return send.apply(this, parameters);
        });
        await found(client, 'score', search);
        spy.mockRestore();
        const [{ text, values } = { text: '', values: [] }] = sent;
        const plan = await world.app.sql(`EXPLAIN ${text}`, values);
        expect(JSON.stringify(plan)).toContain('Bitmap Index Scan on ix_scores_search');
      }
    }
  });
});
