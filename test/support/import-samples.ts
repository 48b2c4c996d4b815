import { field, relation, schema } from './schema-definitions.js';
import type { TestApp } from './test-app.js';
import type { TestClient } from './test-client.js';

export interface ImportFault {
  readonly row: number;
  readonly field: string;
  readonly code: string;
}

export interface ImportAnswer {
  readonly status: number;
  readonly data: {
    readonly rows: number;
    readonly dry_run: boolean;
    readonly ignored: readonly string[];
    readonly error?: string;
    readonly total?: number;
    readonly errors?: readonly ImportFault[];
  };
}

export async function makeThings(root: TestClient): Promise<void> {
  const fields = [
    field('string', 'code', { unique: true }),
    field('json', 'meta', { optional: true }),
    field('bytes', 'raw', { optional: true }),
    field('int64', 'big', { optional: true }),
    field('uint64', 'huge', { optional: true }),
    field('float64', 'score', { optional: true }),
    field('bool', 'live', { optional: true }),
    field('text', 'body', { optional: true }),
    field('time', 'at', { optional: true }),
    field('enum', 'kind', { optional: true, enums: [{ value: 'a' }, { value: 'b' }] }),
    field('int', 'views', { default: 7 }),
    relation('of', 'category', 'things', 'm2o'),
    relation('tags', 'tag', 'things', 'm2m', { owner: true }),
  ];
  const thing = { ...schema('thing'), label_field: 'code', fields };
  await root.post('/api/schema?back_refs=create', { schemas: [thing] }).expect(201);
}

/** Creates records with values of every kind, including those that spreadsheets corrupt. */
export async function fillThings(root: TestClient): Promise<void> {
  const made = async (path: string, body: object): Promise<string> =>
    ((await root.post(path, body).expect(201)).body as { data: { id: string } }).data.id;
  const category = { id: await made('/api/content/categorys', { title: 'News' }) };
  const tags = [
    { id: await made('/api/content/tags', { title: 'a' }) },
    { id: await made('/api/content/tags', { title: 'b' }) },
  ];
  const texts = [
    '',
    'x',
    '=1+1',
    "'=1",
    "'",
    '  spaces ',
    'a,b;"c"\r\nd\n',
    'null',
    'true',
    '５',
    '-5',
    '\t',
    '💡',
    '\u2028',
  ];
  const metas = [null, 5, '5', '', 'null', { a: [1, { b: null }] }, [], '=1', true, { n: 1.5e300 }];
  const things = texts.map((body, at) => ({
    code: `${String(at).padStart(2, '0')} ${body}`,
    body: at % 5 === 4 ? null : body,
    meta: metas[at % metas.length],
    raw: at % 3 === 0 ? null : Buffer.from([251, 255, at]).toString('base64'),
    big: at % 2 === 0 ? '-9223372036854775808' : null,
    huge: at % 2 === 0 ? null : '18446744073709551615',
    score: [null, -0.1, 1e21, 5e-324][at % 4],
    live: [null, true, false][at % 3],
    at: at % 2 === 0 ? null : '2026-02-28T23:59:59.123Z',
    kind: [null, 'a', 'b'][at % 3],
    views: at,
    of: at % 2 === 0 ? category : null,
    tags: at % 3 === 0 ? [] : tags,
  }));
  await root.post('/api/content/things', things).expect(201);
}

export async function sendFile(
  app: TestApp,
  client: TestClient,
  body: string | Uint8Array | ReadableStream<Uint8Array>,
  { query = '', type = 'text/csv', name = 'things' }: { query?: string; type?: string; name?: string } = {},
): Promise<ImportAnswer> {
  const answer = await fetch(`${app.url}/api/content/${name}/import?${query}`, {
    method: 'POST',
    headers: { ...(client.token ? { authorization: `Bearer ${client.token}` } : {}), 'content-type': type },
    body: body as string,
    duplex: 'half',
  } as RequestInit);
  return { status: answer.status, data: ((await answer.json()) as { data: ImportAnswer['data'] }).data };
}

export function faultSummary({ status, data }: ImportAnswer) {
  return { status, error: data.error, faults: data.errors?.map(({ row, field: name, code }) => [row, name, code]) };
}
