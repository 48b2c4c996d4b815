import { DescribedRoutes } from '../../src/edge/openapi/routes/described-routes.service.js';
import { makeMagazine } from '../support/content-fixture.js';
import { useTestApp } from '../support/test-app.js';
import type { TestClient } from '../support/test-client.js';

const UNKNOWN = ['dry_rum', 'constructor', 'toString', 'Scopes'];
const SAFE = new Set(['get', 'head', 'options']);

/** Routes that accept unknown members, with the reason. */
const LENIENT: Readonly<Record<string, string>> = {
  'post /api/auth/introspect': 'RFC 7662 §2.1: other parameters are allowed.',
  'post /api/auth/{provider}/callback': 'Providers add parameters (RFC 6749 §4.1.2, `session_state`, `user`).',
  'post /api/content/{schema}/import': 'The body is a file: unknown columns are errors of its rows.',
  'post /api/files': 'The body is a file.',
  'put /api/files/{id}': 'The body is a file.',
  'post /api/files/uploads': 'The body is a part of a file.',
  'patch /api/files/uploads/{id}': 'The body is a part of a file.',
  'post /api/imports': 'The body is a file: unknown columns are errors of its rows.',
};

/** Bodies that are valid except for the unknown member. */
const BODIES: Readonly<Record<string, (extra: object) => unknown>> = {
  'post /api/batch': (extra) => ({ operations: [{ op: 'create', schema: 'tag', data: { title: 'a' } }], ...extra }),
};

/** Required parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  'patch /api/content/{schema}': 'filter={}',
  'delete /api/content/{schema}': 'filter={}',
  'post /api/imports': 'schema=tag',
};

/** Temporary counters, and tables that record every request. */
const UNCOUNTED = new Set(['rate_limits', 'audit_log', 'sessions', 'query_shapes']);

describe('unknown names in requests', () => {
  const world = useTestApp({
    env: {
      AUTH_CLI_LOGIN_ENABLED: 'true',
      AUTH_ENABLE_REFRESH_TOKEN: 'true',
      AUTH_OTP_ENABLED: 'true',
      MAIL_URL: 'smtp://127.0.0.1:9',
    },
  });
  let root: TestClient;
  let tag: string;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    const { body } = await root.post('/api/content/tag', { title: 'kept' }).expect(201);
    tag = (body as { data: { id: string } }).data.id;
    await world.app.stopBackgroundWork();
    await world.app.get(DescribedRoutes).ready();
    expect(writes().length).toBeGreaterThan(60);
  });

  const writes = () =>
    world.app
      .get(DescribedRoutes)
      .list()
      .filter(({ method }) => !SAFE.has(method))
      .map(({ method, path }) => {
        const key = `${method} ${path}`;
        return { key, method, path: `${addressOf(path, tag)}?${PARAMETERS[key] ?? ''}` };
      });
  const send = (method: string, path: string, body?: unknown) => {
    const request = root[method as 'post' | 'put' | 'patch' | 'delete'](path).set('origin', 'http://lintel.test');
    return body === undefined ? request : request.set('content-type', 'application/json').send(JSON.stringify(body));
  };

  async function contents(): Promise<Record<string, string>> {
    const tables = await world.app.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const digests: Record<string, string> = {};
    for (const { name } of tables) {
      if (UNCOUNTED.has(name) || name.startsWith('audit_')) continue;
      const [row] = await world.app.sql<{ digest: string }>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), '') AS digest FROM "${name}" t`,
      );
      digests[name] = row?.digest ?? '';
    }
    return digests;
  }

  it('are rejected as a parameter of every route that changes something', async () => {
    const before = await contents();
    const wrong: unknown[] = [];
    for (const { key, method, path } of writes())
      for (const name of UNKNOWN) {
        const address = `${path}&${name}=true`;
        const { status, body } = await send(method, address, BODIES[key]?.({}));
        const error = body as { data?: { error?: string; errors?: { field: string; code: string }[] } };
        const isNamed = error.data?.errors?.some(({ field, code }) => field === name && code === 'unknown_parameter');
        if (status !== 400 || error.data?.error !== 'query_invalid' || isNamed !== true)
          wrong.push([key, name, status, body]);
      }
    expect(wrong).toEqual([]);
    expect(await contents()).toEqual(before);
  });

  it('are rejected as a member on every route that changes something', async () => {
    const before = await contents();
    const wrong: unknown[] = [];
    for (const { key, method, path } of writes()) {
      if (LENIENT[key] !== undefined) continue;
      for (const name of UNKNOWN) {
        const extra = { [name]: true };
        const { status, body } = await send(method, path, BODIES[key]?.(extra) ?? extra);
        const isRefused = status >= 400 && status < 500;
        if (!isRefused || !JSON.stringify(body).includes(name)) wrong.push([key, name, status, body]);
      }
    }
    expect(wrong).toEqual([]);
    expect(await contents()).toEqual(before);
  });

  it.each<[string, object]>([
    ['/api/auth/keys', { name: 'k', scopes: [{ resource: 'content.tag.list', feilds: ['title'] }] }],
    ['/api/auth/keys', { name: 'k', scopes: [{ resource: 'content.tag.list', fields: { raed: [] } }] }],
    ['/api/schema/convert', { source: 'strapi', files: [{ name: 'a.json', text: '{}', encoding: 'base64' }] }],
    ['/api/batch', { operations: [{ op: 'create', schema: 'tag', data: { title: 'a' }, dry_run: true }] }],
    ['/api/bulk-changes', { schema: 'tag', action: 'delete', filter: {}, values: {} }],
    ['/api/content/post', { title: 'a', tags: [{ title: 'b', dry_run: true }] }],
    ['/api/content/post', { title: 'a', tags: { $ad: [] } }],
    [
      '/api/schema',
      { name: 'x', namespace: 'xs', label_field: 'a', fields: [{ name: 'a', type: 'string', uniqe: true }] },
    ],
    ['/api/schema', { schemas: [], dry_run: true }],
  ])('are rejected as a member within the body: %s %j', async (path, input) => {
    const before = await contents();
    const { status, body } = await root.post(path, input);
    expect([400, 422, JSON.stringify(body)]).toContain(status);
    expect(await contents()).toEqual(before);
  });

  it('are rejected as a parameter of every route with a query class', async () => {
    const wrong: unknown[] = [];
    const lists = [
      '/api/audit',
      '/api/mails',
      '/api/keys',
      '/api/jobs',
      `/api/files/${tag}`,
      `/api/imports/${tag}/faults`,
    ];
    for (const path of lists)
      for (const name of UNKNOWN) {
        const { status, body } = await root.get(`${path}?${name}=session.begin`);
        if (status !== 400 || !JSON.stringify(body).includes(`"${name}"`)) wrong.push([path, name, status, body]);
      }
    expect(wrong).toEqual([]);
  });
});

function addressOf(path: string, id: string): string {
  const values: Readonly<Record<string, string>> = { schema: 'tag', name: 'tag', provider: 'google', id };
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? id);
}
