import { makeMagazine, personWith } from '../../support/content-fixture.js';
import {
  type ImportAnswer,
  makeThings,
  sendFile,
  type ImportFault,
  faultSummary,
} from '../../support/import-samples.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

describe('an import of records that is rejected', () => {
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

  it('reports every error of the file, and writes nothing', async () => {
    await root.post('/api/content/things', { code: 'there' }).expect(201);
    const missing = '6f1c2a52-7a39-4c8e-9d0a-1c8f5d9a7b11';
    const file = [
      'code,views,live,meta,kind,of.id,nothing,raw',
      'ok,1,TRUE,{},a,,x,',
      ',x,yes,{,c,y,,?',
      'there,,,,,,,',
      'one,,,,,,,',
      'one,,,,,,,',
      `away,,,,,${missing},,`,
      'short,1',
      'fine,,,,,,,',
    ].join('\r\n');
    expect(faultSummary(await send(file))).toEqual({
      status: 400,
      error: 'import_invalid',
      faults: [
        [1, 'nothing', 'unknown_field'],
        [3, 'meta', 'value_invalid'],
        [3, 'code', 'value_invalid'],
        [3, 'views', 'value_invalid'],
        [3, 'live', 'value_invalid'],
        [3, 'kind', 'value_invalid'],
        [3, 'raw', 'value_invalid'],
        [3, 'of', 'reference_invalid'],
        [4, 'code', 'unique_violation'],
        [6, 'code', 'unique_violation'],
        [7, 'of', 'reference_not_found'],
        [8, 'thing', 'columns_mismatch'],
      ],
    });
    expect(await count()).toBe(1);
  });

  it('counts ten thousand errors, and reports a thousand', async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `{"code":${at}}`);
    const { status, data } = await send(lines.join('\n'), 'format=ndjson');
    expect([status, data.error, data.total, data.errors?.length, data.rows]).toEqual([
      400,
      'import_invalid',
      10_000,
      1_000,
      10_000,
    ]);
    expect([data.errors?.[0], data.errors?.[999]]).toMatchObject([
      { row: 1, field: 'code', code: 'value_invalid' },
      { row: 1_000, field: 'code', code: 'value_invalid' },
    ]);
    expect(await count()).toBe(0);
  });

  it.each<[string, string, string | Uint8Array, unknown[][]]>([
    ['csv', 'nothing', '', [[1, 'thing', 'required']]],
    ['csv', 'an open quotation mark', 'code\n"a', [[2, 'thing', 'csv_malformed']]],
    ['csv', 'a quotation mark in a cell', 'code\na"b\n', [[2, 'thing', 'csv_malformed']]],
    [
      'csv',
      'names twice',
      'code,code,\na,b,c',
      [
        [1, 'code', 'repeated_column'],
        [2, 'column 3', 'required'],
      ],
    ],
    ['csv', 'Latin-1', Buffer.from('code,body\na,x\nb,\xfc\n', 'latin1'), [[3, 'body', 'encoding_invalid']]],
    ['csv', 'a record without an end', `code\n"${'x'.repeat(1_200_000)}"`, [[2, 'thing', 'too_long']]],
    ['csv', 'a zero character', 'code\na\0b\n', [[2, 'code', 'value_invalid']]],
    ['csv', 'an unknown field', '__proto__,code\n1,a\n', [[1, '__proto__', 'unknown_field']]],
    [
      'csv',
      'a path over a field without relation',
      'code,code.id,of.title\na,,\n',
      [
        [1, 'code.id', 'unknown_field'],
        [1, 'of.title', 'unknown_field'],
      ],
    ],
    [
      'ndjson',
      'lines that are not JSON objects',
      '{"code":"a"}\n\n{"code":\nx\n[]\n1\n"a"\nnull\n',
      [
        [3, 'thing', 'body_malformed'],
        [4, 'thing', 'body_malformed'],
        [5, 'thing', 'body_invalid'],
        [6, 'thing', 'body_invalid'],
        [7, 'thing', 'body_invalid'],
        [8, 'thing', 'body_invalid'],
      ],
    ],
    ['ndjson', 'a prototype', '{"__proto__":{"a":1},"code":"a"}', [[1, 'thing', 'body_malformed']]],
    ['ndjson', 'depth', `{"code":"a","meta":${'['.repeat(50)}${']'.repeat(50)}}`, [[1, 'thing', 'body_too_deep']]],
    ['ndjson', 'Latin-1', Buffer.from('{"code":"\xfc"}', 'latin1'), [[1, 'thing', 'body_malformed']]],
    ['ndjson', 'a line without an end', `{"code":"${'x'.repeat(1_200_000)}"}`, [[1, 'thing', 'too_long']]],
    ['json', 'nothing', '', [[1, 'thing', 'body_malformed']]],
    ['json', 'an object instead of a list', '{"code":"a"}', [[1, 'thing', 'body_malformed']]],
    ['json', 'a list without an end', '[{"code":"a"},{"code":"b"}', [[2, 'thing', 'body_malformed']]],
    ['json', 'text after the list', '[] []', [[1, 'thing', 'body_malformed']]],
    ['json', 'nothing between commas', '[{"code":"a"},,{"code":"b"}]', [[2, 'thing', 'body_malformed']]],
    ['json', 'a comma too many', '[{"code":"a"},]', [[2, 'thing', 'body_malformed']]],
    ['json', 'a record without an end', `[{"code":"${'x'.repeat(1_200_000)}"}]`, [[1, 'thing', 'too_long']]],
    ['json', 'brackets that do not fit', '[{"code":]},{"code":"]\\""}]', [[1, 'thing', 'body_malformed']]],
  ])('as %s is rejected with %s', async (format, _what, body, faults) => {
    const answer = await send(body, `format=${format}`);
    expect(faultSummary(answer)).toEqual({ status: 400, error: 'import_invalid', faults: expect.any(Array) });
    for (const fault of faults) expect(faultSummary(answer).faults).toContainEqual(fault);
    expect(await count()).toBe(0);
  });

  it.each([
    ['format=xml', 'format'],
    ['dry_run=yes', 'dry_run'],
    ['generated=all', 'generated'],
    ['delimiter=,', 'delimiter'],
    ['limit=5', 'limit'],
    ['mode=replace', 'mode'],
    ['columns=code', 'columns'],
    ['columns=[]', 'columns'],
    ['columns=null', 'columns'],
    ['columns={"a":1}', 'columns'],
    ['columns={"__proto__":{"a":1}}', 'columns'],
    ['format=json&columns={}', 'columns'],
    ['key=code', 'key'],
    ['mode=update&key=views', 'views'],
    ['mode=upsert&key=nothing', 'nothing'],
    ['mode=update&key=of', 'of'],
    ['format=csv&format=json', 'format'],
  ])('is rejected with the parameter %s', async (query, name) => {
    const { status, data } = await send('code\na\n', query);
    expect([status, data.error, data.errors?.[0]?.field]).toEqual([400, 'query_invalid', name]);
  });

  it('needs the permission to create', async () => {
    const reader = await personWith(world.app, [{ resource: 'content.thing.list', value: 'allow' }]);
    expect((await send('code\na\n', '', { client: reader.client })).status).toBe(403);
    expect((await send('code\na\n', '', { name: 'nothing' })).status).toBe(404);
    const guest = await fetch(`${world.app.url}/api/content/things/import`, { method: 'POST', body: 'code\na\n' });
    expect(guest.status).toBe(401);
    expect(await count()).toBe(0);
  });

  it('rejects the same records as single creates', async () => {
    const { client } = await personWith(world.app, [
      {
        resource: 'content.thing.create',
        value: 'record.views < 10',
        fields: { read: [], write: ['code', 'views', 'meta'] },
      },
    ]);
    const bodies: object[] = [
      { code: 'a', views: 1 },
      { code: 'b', views: 10 },
      { code: 'c', body: 'no' },
      { code: 'd', nothing: 1 },
      { code: 'e', of: null },
      { code: 'f', views: 5, meta: { a: 1 } },
      { views: 5 },
      { code: 'g', views: '1e1' },
    ];
    const single: unknown[] = [];
    for (const [at, body] of bodies.entries()) {
      const answer = await client.post('/api/content/things', body);
      const { errors = [{ field: 'thing', code: answer.body.data.error as string }] } = answer.body.data as {
        errors?: ImportFault[];
      };
      if (answer.status !== 201) single.push(...errors.map(({ field: name, code }) => [at + 1, name, code]));
    }
    await world.app.sql('TRUNCATE things CASCADE');
    const lines = bodies.map((body) => JSON.stringify(body)).join('\n');
    expect(faultSummary(await send(lines, 'format=ndjson', { client }))).toEqual({
      status: 400,
      error: 'import_invalid',
      faults: single,
    });
    expect(single).toHaveLength(6);
  });
});
