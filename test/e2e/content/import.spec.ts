import fc from 'fast-check';
import { ContentImport } from '../../../src/data/content/import/content-import.service.js';
import { ImportWriter } from '../../../src/data/content/import/import-writer.service.js';
import { SYSTEM } from '../../../src/kernel/principal.types.js';
import { makeMagazine, personWith } from '../../support/content-fixture.js';
import { fillThings, type ImportAnswer, makeThings, sendFile, faultSummary } from '../../support/import-samples.js';
import { randomRecords } from '../../support/random-records.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

const FORMATS = ['csv', 'ndjson', 'json'] as const;

describe('an import of records', () => {
  const world = useTestApp();
  let root: TestClient;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    await makeThings(root);
  });
  afterEach(() => world.app.sql('TRUNCATE things CASCADE'));

  const send = (
    body: string | Uint8Array | ReadableStream<Uint8Array>,
    query = '',
    { client = root, ...more }: { client?: TestClient; type?: string; name?: string } = {},
  ): Promise<ImportAnswer> => sendFile(world.app, client, body, { query, ...more });
  const count = async () => Number((await world.app.sql<{ n: string }>('SELECT count(*) AS n FROM things'))[0]!.n);
  const exported = async (format: string, select = '*,tags.id') =>
    (await root.get(`/api/content/things/export?sort=code&format=${format}&select=${select}`).buffer(true).expect(200))
      .text;

  describe.each(FORMATS)('as %s', (format) => {
    const type = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' }[format];

    it('restores an export, with its keys and times', async () => {
      await fillThings(root);
      await world.app.sql(`UPDATE things SET created_at = '2020-01-01T00:00:00Z'`);
      const before = await exported(format);
      await world.app.sql('TRUNCATE things CASCADE');
      const answer = await send(before, 'generated=keep', { type });
      expect(answer).toEqual({
        status: 200,
        data: { rows: 14, created: 14, updated: 0, dry_run: false, ignored: [], blank: 0 },
      });
      expect(await exported(format)).toBe(before);
    });

    it('creates new records by default, and reports the columns it ignored', async () => {
      await fillThings(root);
      const select = 'id,created_at,code,body,meta,raw,big,huge,score,live,at,kind,views,of_id,tags.id';
      const before = await exported(format, select);
      const values = await exported(format, select.replace('id,created_at,', ''));
      await world.app.sql('TRUNCATE things CASCADE');
      const { status, data } = await send(before, `format=${format}`);
      expect([status, data.rows, data.ignored]).toEqual([200, 14, ['created_at', 'id']]);
      expect(await exported(format, select.replace('id,created_at,', ''))).toBe(values);
      expect(await exported(format, select)).not.toBe(before);
    });
  });

  it('restores records of any schema: all of a list, as CSV, NDJSON and JSON', async () => {
    let place = 0;
    const keys: string[] = [];
    for (const title of ['x', 'y', 'z'])
      keys.push(
        ((await root.post('/api/content/tags', { title }).expect(201)).body as { data: { id: string } }).data.id,
      );
    await fc.assert(
      fc.asyncProperty(randomRecords('any_schema', keys), async ({ definition, records }) => {
        const own = `any${(place += 1)}`;
        const made = JSON.parse(JSON.stringify(definition).replaceAll(definition.name, own)) as object;
        await root.post('/api/schema?back_refs=create', made).expect(201);
        await root.post(`/api/content/${own}`, records).expect(201);
        const listed = async () =>
          (await root.get(`/api/content/${own}?select=*,tags.id&sort=place&limit=100`).expect(200)).body as object;
        const before = await listed();
        for (const format of FORMATS) {
          const path = `/api/content/${own}/export?sort=place&format=${format}&select=*,tags.id`;
          const { text } = await root.get(path).buffer(true).expect(200);
          await world.app.sql(`TRUNCATE ${own}_rows CASCADE`);
          const answer = await send(text, `generated=keep&format=${format}`, { name: own });
          expect([format, answer.status, answer.data.errors]).toEqual([format, 200, undefined]);
          expect(await listed()).toEqual(before);
        }
      }),
      { numRuns: 4 },
    );
  });

  it('keeps keys and times only for root', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.thing.create', value: 'allow' }]);
    const file = 'id,code\n6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11,a\n';
    expect((await send(file, 'generated=keep', { client })).status).toBe(403);
    expect((await send(file, '', { client })).status).toBe(200);
    expect(await world.app.sql('SELECT 1 FROM things WHERE id = $1', ['6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11'])).toEqual(
      [],
    );
  });

  it('maps renamed columns to fields, and ignores excluded ones', async () => {
    const columns = (names: object): string => `columns=${encodeURIComponent(JSON.stringify(names))}`;
    const file = 'Nr, Anzahl ,code,views\n1,5,ignored,2\n';
    const mapping = columns({ Nr: 'code', Anzahl: 'views', code: null, views: 'score' });
    expect((await send(file, mapping)).data).toMatchObject({ rows: 1, created: 1 });
    expect(await world.app.sql('SELECT code, views::int, score FROM things')).toEqual([
      { code: '1', views: 5, score: 2 },
    ]);
    const faulty = await send(file, columns({ Nr: 'code', Anzahl: 'views', none: 'body', code: 'nothing' }));
    expect(faultSummary(faulty)).toMatchObject({
      error: 'import_invalid',
      faults: [
        [1, 'none', 'unknown_column'],
        [1, 'views', 'repeated_column'],
        [1, 'nothing', 'unknown_field'],
        [2, 'code', 'unique_violation'],
      ],
    });
    expect(await count()).toBe(1);
  });

  it('reports the same errors in a dry run, which changes nothing', async () => {
    const good = await send('code\na\nb\n', 'dry_run=true');
    expect(good).toEqual({
      status: 200,
      data: { rows: 2, created: 2, updated: 0, dry_run: true, ignored: [], blank: 0 },
    });
    expect(await count()).toBe(0);
    const bad = 'code\na\na\n';
    expect(await send(bad, 'dry_run=true')).toEqual(await send(bad));
  });

  it('uses the default of a required field for an empty cell, and distinguishes null from an empty text', async () => {
    await send('code,views,body,at\na,,"",\nb,1,,\n');
    expect(await world.app.sql('SELECT code, views::int, body FROM things ORDER BY code')).toEqual([
      { code: 'a', views: 7, body: '' },
      { code: 'b', views: 1, body: null },
    ]);
  });

  it('reads files of spreadsheets: a byte order mark, semicolons, tabs', async () => {
    expect((await send('\ufeffcode;views\r\na;1\r\n', 'delimiter=semicolon')).status).toBe(200);
    expect((await send('code\tviews\rb\t2\r', 'delimiter=tab')).status).toBe(200);
    expect((await send(Buffer.from('\ufeffcode\tbody\ru\tü\r', 'utf16le'), 'delimiter=tab')).status).toBe(200);
    expect((await send('\ufeff{"code":"c"}', 'format=ndjson')).status).toBe(200);
    expect(await count()).toBe(4);
  });

  it('creates thousands of records from a file that arrives in any chunks', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `"${at} ü",${at}`);
    const bytes = Buffer.from(`code,views\n${lines.join('\n')}`);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 997) controller.enqueue(bytes.subarray(at, at + 997));
        controller.close();
      },
    });
    const answer = await fetch(`${world.app.url}/api/content/things/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${root.token}` },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(200);
    expect(await world.app.sql('SELECT count(*)::int AS n, sum(views)::int AS s FROM things')).toEqual([
      { n: 3_000, s: (2_999 * 3_000) / 2 },
    ]);
  });

  it('finds referenced records by a unique field that the caller can read', async () => {
    await root
      .post('/api/content/posts', [
        { title: 'One', slug: 'one' },
        { title: 'Two', slug: 'two' },
      ])
      .expect(201);
    const comments = (client: TestClient, body: string): Promise<ImportAnswer> =>
      send(body, '', { client, name: 'comments' });
    expect((await comments(root, 'title,post.slug\na,two\nb,\nc,one\nd,two\n')).data).toMatchObject({ rows: 4 });
    const listed = await root.get('/api/content/comments?select=title,post.slug&sort=title').expect(200);
    expect((listed.body as { data: { items: unknown } }).data.items).toEqual([
      { title: 'a', post: { slug: 'two' } },
      { title: 'b', post: null },
      { title: 'c', post: { slug: 'one' } },
      { title: 'd', post: { slug: 'two' } },
    ]);
    const missing = await comments(root, 'title,post.slug,post.title\ne,three,\nf,one,\n');
    expect(faultSummary(missing).faults).toEqual([
      [1, 'post.title', 'unknown_field'],
      [2, 'post', 'reference_not_found'],
    ]);
    const create = { resource: 'content.comment.create', value: 'allow' };
    const some = { resource: 'content.post.list', value: "record.slug == 'one'" };
    const get = { resource: 'content.post.get', value: 'allow' };
    const link = { resource: 'content.post.update', value: 'allow' };
    const { client: seeing } = await personWith(world.app, [create, some, get, link]);
    expect(faultSummary(await comments(seeing, 'title,post.slug\ne,one\nf,two\n')).faults).toEqual([
      [3, 'post', 'reference_not_found'],
    ]);
    expect((await comments(seeing, 'title,post.slug\ne,one\n')).status).toBe(200);
    const { client: blind } = await personWith(world.app, [create, get, link]);
    expect(faultSummary(await comments(blind, 'title,post.slug\ne,one\n')).faults).toEqual([
      [1, 'post.slug', 'unknown_field'],
    ]);
  });

  it.each(FORMATS)('keeps only a part of a file in memory, of any size: %s', async (format) => {
    const body = 'x'.repeat(100_000);
    const lines = (at: number) =>
      ({
        csv: `${at},${body}\n`,
        ndjson: `{"code":"${at}","body":"${body}"}\n`,
        json: `,{"code":"${at}","body":"${body}"}`,
      })[format];
    const read = { rows: 0, most: 0, written: 0 };
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from({ csv: 'code,body\n', ndjson: '\n', json: '[{"code":"first"}' }[format]);
      for (; read.rows < 300; read.rows += 1) yield await Promise.resolve(Buffer.from(lines(read.rows)));
      if (format === 'json') yield Buffer.from(']');
    }
    const writer = world.app.get(ImportWriter);
    const write = jest.spyOn(writer, 'write').mockImplementation(async function (this: ImportWriter, scope, rows) {
      read.most = Math.max(read.most, read.rows - read.written);
      read.written += rows.rows.length;
      return ImportWriter.prototype.write.call(writer, scope, rows);
    });
    const request = { principal: SYSTEM, schema: 'thing', query: { format }, mediaType: '' };
    await world.app.get(ContentImport).run(request, { open: bytes });
    write.mockRestore();
    expect(await count()).toBe(format === 'json' ? 301 : 300);
    // Chunks of 100 KB: up to a megabyte that is written together, plus the buffers of the streams.
    expect(read.most).toBeLessThan(40);
  });
});
