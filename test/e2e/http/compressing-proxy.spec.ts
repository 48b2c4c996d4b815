import { makeMagazine } from '../../support/content-fixture.js';
import { freePort, type Nginx, servedBelow, startNginx } from '../../support/nginx.cjs';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const COMPRESSES = 'gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;';

describe('conditional writes behind an nginx that compresses JSON', () => {
  const world = useTestApp();
  let nginx: Nginx;
  let url = '';
  let bearer: Record<string, string> = {};

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const upstream = Number(new URL(world.app.url).port);
    nginx = await startNginx([servedBelow({ port, upstream, path: '', strip: false, more: COMPRESSES })], port);
    await makeMagazine(world.app);
    const { token } = await signedIn(world.app, { roles: ['admin'] });
    bearer = { authorization: `Bearer ${token}` };
  });
  afterAll(() => nginx?.close());

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = {
      method,
      headers: { ...bearer, ...type, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    };
    const answer = await fetch(url + path, init);
    const text = await answer.text();
    const json = (text === '' ? null : JSON.parse(text)) as { data: { id: string; error?: string } } | null;
    return { status: answer.status, tag: answer.headers.get('etag') ?? '', data: json?.data };
  };
  const make = async (): Promise<string> => {
    const { data } = await send('POST', '/api/content/category', { title: `category ${Math.random()}` });
    return `/api/content/category/${data?.id ?? ''}`;
  };

  /** Spellings of a tag after proxies: nginx, Apache, Jetty, and combinations. */
  const spellings = (tag: string): string[] => {
    const text = tag.replace(/^W\//, '').replaceAll('"', '');
    return [
      `W/"${text}"`,
      `"${text}"`,
      `"${text}-gzip"`,
      `"${text};gzip"`,
      `W/"${text}--gzip"`,
      `"nothing", W/"${text}"`,
    ];
  };

  it('accept every tag of the current version, and reject every older one', async () => {
    const path = await make();
    const read = await send('GET', path);
    expect(read.tag).toMatch(/^W\/"/);
    let { tag } = read;
    for (const [at] of spellings(tag).entries()) {
      const name = `changed ${at}`;
      const known = spellings(tag)[at] ?? '';
      const written = await send('PATCH', path, { title: name }, { 'if-match': known });
      expect([known, written.status]).toEqual([known, 200]);
      const again = await send('PATCH', path, { title: name }, { 'if-match': known });
      expect([known, again.status, again.data?.error]).toEqual([known, 412, 'record_changed']);
      tag = at % 2 === 0 ? written.tag : (await send('GET', path)).tag;
    }
    expect((await send('DELETE', path, undefined, { 'if-match': read.tag })).status).toBe(412);
    expect((await send('DELETE', path, undefined, { 'if-match': tag })).status).toBe(200);
  });

  it('write in a batch, and name the operation with a stale tag', async () => {
    const [one, other] = [await make(), await make()];
    const tags = await Promise.all([one, other].map(async (path) => (await send('GET', path)).tag));
    const operation = (path: string, tag = '') => {
      return {
        op: 'update',
        schema: 'category',
        id: path.split('/').at(-1),
        data: { title: `x ${Math.random()}` },
        if_match: tag,
      };
    };
    const operations = [operation(one, tags[0]), operation(other, tags[1])];
    expect((await send('POST', '/api/batch', { operations })).status).toBe(200);
    const stale = await send('POST', '/api/batch', { operations });
    expect([stale.status, stale.data?.error]).toEqual([412, 'record_changed']);
  });

  it('change a schema', async () => {
    const { tag, data } = await send('GET', '/api/schema/tag');
    expect(tag).toMatch(/^W\/"\d+"$/);
    const { fields } = data as unknown as { fields: object[] };
    const changed = { ...data, fields: [...fields, { type: 'string', name: 'extra', optional: true }] };
    expect((await send('PUT', '/api/schema/tag', changed, { 'if-match': tag })).status).toBe(200);
    const again = await send('PUT', '/api/schema/tag', changed, { 'if-match': tag });
    expect([again.status, again.data?.error]).toEqual([412, 'schema_version_mismatch']);
  });

  it('return 304 for each spelling of a tag', async () => {
    const path = await make();
    const { tag } = await send('GET', path);
    for (const known of spellings(tag)) {
      const answer = await fetch(world.app.url + path, { headers: { ...bearer, 'if-none-match': known } });
      expect([known, answer.status]).toEqual([known, 304]);
    }
  });
});
