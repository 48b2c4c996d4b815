import { type ErrorCode, errorRow } from '../../src/kernel/errors/error-catalogue.js';
import { contentLimits } from '../../src/data/content/request/query-faults.js';
import { contentRows } from '../../src/edge/openapi/content/content-rows.js';
import { bodySchema } from '../../src/edge/openapi/routes/body-schema.js';
import { DescribedRoutes } from '../../src/edge/openapi/routes/described-routes.service.js';
import { findFieldCheck } from '../../src/platform/http/input/field.decorator.js';
import { makeMagazine } from '../support/content-fixture.js';
import { DocumentInHand, type DocumentedOperation } from '../support/openapi-document.js';
import { PASSWORD, signedIn } from '../support/people.js';
import { pageRefusals } from '../support/sign-in-errors.js';
import { useTestApp } from '../support/test-app.js';
import type { TestClient } from '../support/test-client.js';

describe('the OpenAPI document compared with the application', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true', AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  let root: TestClient;
  let document: DocumentInHand;

  beforeAll(async () => {
    ({ root } = await makeMagazine(world.app));
    document = await DocumentInHand.of(root);
  });

  const rows = () => contentRows(contentLimits(world.app.config));
  const described = () => world.app.get(DescribedRoutes).list();
  const failuresOf = ({ responses }: DocumentedOperation): { status: string; codes: ErrorCode[] }[] =>
    Object.entries(responses).flatMap(([status, answer]) => {
      if (Number(status) < 400) return [];
      const text = JSON.stringify(document.at(String(answer['$ref'])));
      const { enum: codes } = JSON.parse(/\{"enum":\[[^\]]*\]/.exec(text)![0] + '}') as { enum: ErrorCode[] };
      return [{ status, codes }];
    });

  it('has every route of the application, and no other', () => {
    const routes = described();
    expect(routes.length).toBeGreaterThan(50);
    const fixed = routes.filter(({ key }) => rows()[key] === undefined);
    const documented = document.operations().filter(({ path }) => !path.startsWith('/api/content/'));
    expect(documented.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      fixed.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    const patterns = routes.filter(({ key }) => rows()[key] !== undefined);
    for (const { method, path } of patterns)
      expect(document.paths[path.replace('{schema}', 'posts').replace('{relation}', 'tags')]).toHaveProperty(method);
  });

  it('has a description for every route, and a row for every content route', () => {
    const isOfContent = ({ path }: { path: string }) => path.startsWith('/api/content/');
    const keys = described()
      .filter(isOfContent)
      .map(({ key }) => key);
    expect(Object.keys(rows()).sort()).toEqual(keys.sort());
    for (const route of described()) {
      if (isOfContent(route)) continue;
      expect([route.key, route.described.summary, route.described.tags]).toEqual([
        route.key,
        expect.stringMatching(/^\S.*[^.]$/),
        [expect.any(String)],
      ]);
    }
  });

  it('gives every operation a unique id, a summary and a tag', () => {
    const ids = document.operations().map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, summary, tags } of document.operations()) {
      expect(operationId).toMatch(/^[a-z]\w+$/i);
      expect(summary).toMatch(/^\S.*[^.]$/);
      expect(tags).toHaveLength(1);
    }
  });

  it('lists the errors of each operation by status, with codes of the catalogue', () => {
    for (const operation of document.operations()) {
      const failures = failuresOf(operation);
      expect(failures.map(({ status }) => status)).toEqual(expect.arrayContaining(['400', '500', '503']));
      for (const { status, codes } of failures) {
        for (const code of codes) {
          const mailed = code.startsWith('token_') && status === '400';
          // During a sign-in.
          const enrols = code === 'mfa_enrollment_required' && status === '401';
          const expectedStatus = mailed ? 400 : enrols ? 401 : errorRow(code).status;
          expect([operation.operationId, code, expectedStatus]).toEqual([operation.operationId, code, Number(status)]);
        }
      }
    }
  });

  it('names every error of docs/reference/sign-in-errors.md', () => {
    for (const { endpoints, status, errors } of pageRefusals()) {
      for (const endpoint of endpoints.filter((name) => name.includes('/') || name === 'exchange')) {
        const found = document.operations().filter(({ path }) => path === `/api/auth/${endpoint}`);
        expect([endpoint, found.length]).not.toEqual([endpoint, 0]);
        const codes = found.flatMap(failuresOf).flatMap((row) => (row.status === String(status) ? row.codes : []));
        expect([endpoint, status, codes]).toEqual([endpoint, status, expect.arrayContaining(errors)]);
      }
    }
  });

  it('has no broken reference, and valid schemas', () => {
    expect(document.faults()).toEqual([]);
  });

  it('describes the fields of a body as they are validated', () => {
    const bodies = new Set(described().flatMap(({ body }) => body ?? []));
    expect(bodies.size).toBeGreaterThan(10);
    for (const body of bodies) {
      const { properties } = bodySchema(body) as {
        properties: Record<string, { minLength?: number; maxLength?: number }>;
      };
      for (const [name, { minLength = 0, maxLength }] of Object.entries(properties)) {
        const check = findFieldCheck(body.prototype as object, name)!;
        if (minLength > 0)
          expect([body.name, name, check('a'.repeat(minLength - 1))]).not.toEqual([body.name, name, null]);
        if (maxLength === undefined) continue;
        expect([body.name, name, check('a'.repeat(maxLength + 1))]).not.toEqual([body.name, name, null]);
      }
    }
  });

  it('describes real responses', async () => {
    const guest = world.app.asGuest();
    const { token, person } = await signedIn(world.app, { roles: ['admin'] });
    const me = world.app.as(token);
    const login = { login: person.email, password: PASSWORD };
    const made = await root.post('/api/content/posts?select=*,tags,category', {
      title: 'a',
      big: '9007199254740993',
      huge: '18446744073709551615',
      raw: 'AAE=',
      score: 1.5,
      meta: { any: ['thing'] },
      published_at: 'now',
      tags: [{ title: 't' }],
      category: { title: 'c' },
    });
    const { id } = (made.body as { data: { id: string } }).data;
    const one = `/api/content/posts/${id}`;
    const samples = [
      ['post', '/api/content/posts', made],
      ['get', '/api/auth/methods', await guest.get('/api/auth/methods')],
      ['get', '/healthz', await guest.get('/healthz')],
      ['get', '/readyz', await guest.get('/readyz')],
      ['post', '/api/auth/local/login', await guest.post('/api/auth/local/login', login)],
      ['post', '/api/auth/local/login', await guest.post('/api/auth/local/login', { ...login, password: 'x' })],
      ['post', '/api/auth/local/login', await guest.post('/api/auth/local/login', {})],
      ['post', '/api/auth/local/recover', await guest.post('/api/auth/local/recover', { email: 'a@example.com' })],
      ['post', '/api/auth/local/activate', await guest.post('/api/auth/local/activate', { token: 'x' })],
      ['post', '/api/auth/exchange', await guest.post('/api/auth/exchange', { code: 'x' })],
      ['post', '/api/auth/token/refresh', await guest.post('/api/auth/token/refresh', { refresh_token: 'x' })],
      ['get', '/api/auth/me', await me.get('/api/auth/me')],
      ['get', '/api/auth/me', await guest.get('/api/auth/me')],
      ['get', '/api/auth/permissions', await me.get('/api/auth/permissions')],
      ['get', '/api/auth/sessions', await me.get('/api/auth/sessions')],
      ['get', '/api/auth/identities', await me.get('/api/auth/identities')],
      ['delete', '/api/auth/sessions/{id}', await me.delete('/api/auth/sessions/x')],
      ['get', '/api/openapi.json', await me.get('/api/openapi.json')],
      ['get', '/api/schema', await me.get('/api/schema')],
      ['get', '/api/schema/{name}', await me.get('/api/schema/post')],
      ['get', '/api/schema/{name}', await me.get('/api/schema/no_such')],
      ['get', '/api/schema/export', await me.get('/api/schema/export')],
      ['get', '/api/schema/history', await me.get('/api/schema/history')],
      ['get', '/api/schema/definition.json', await guest.get('/api/schema/definition.json')],
      ['post', '/api/schema/validate', await me.post('/api/schema/validate', { name: 'x' })],
      ['post', '/api/schema/plan', await me.post('/api/schema/plan?remove=comment', {})],
      ['get', '/api/content/posts', await me.get('/api/content/posts?select=*,tags,comments,category.title,owner')],
      ['get', '/api/content/posts', await me.get('/api/content/posts?cursor=&limit=1&select=title')],
      ['get', '/api/content/posts', await me.get('/api/content/posts?count=none')],
      ['get', '/api/content/posts', await me.get('/api/content/posts?filter={"no":1}')],
      ['get', '/api/content/posts', await guest.get('/api/content/posts')],
      ['get', '/api/content/posts/{id}', await me.get(one)],
      ['get', '/api/content/posts/{id}', await me.get('/api/content/posts/x')],
      ['get', '/api/content/users', await me.get('/api/content/users?select=*,roles,sessions')],
      ['get', '/api/content/permissions', await me.get('/api/content/permissions')],
      ['post', '/api/content/posts', await me.post('/api/content/posts', { title: 7 })],
      ['post', '/api/content/posts', await me.post('/api/content/posts', [{ title: 'x' }, { title: 'y' }])],
      ['patch', '/api/content/posts/{id}', await me.patch(one, { views: 3 })],
      ['patch', '/api/content/posts/{id}', await me.patch(one, { views: 4 }).set('prefer', 'return=minimal')],
      ['patch', '/api/content/posts/{id}', await me.patch(one, { views: 5 }).set('if-match', '"x"')],
      ['put', '/api/content/posts/{id}', await me.put(one, { title: 'z' })],
      ['put', '/api/content/posts/{id}', await me.put(one, {})],
      ['delete', '/api/content/posts/{id}', await me.delete(one)],
      ['post', '/api/content/posts/{id}/restore', await me.post(`${one}/restore`)],
      ['patch', '/api/content/posts', await me.patch('/api/content/posts?filter={"title":"x"}', { views: 1 })],
      ['delete', '/api/content/posts', await me.delete('/api/content/posts?filter={"title":"x"}')],
      [
        'get',
        '/api/content/posts/aggregate',
        await me.get('/api/content/posts/aggregate?count=*&sum=views&group=status'),
      ],
      [
        'post',
        '/api/batch',
        await me.post('/api/batch', { operations: [{ op: 'create', schema: 'tag', data: { title: 'b' } }] }),
      ],
      ['post', '/api/auth/logout', await me.post('/api/auth/logout')],
    ] as const;
    for (const [method, path, response] of samples)
      expect([method, path, response.status, document.faultsOf(method, path, response)]).toEqual([
        method,
        path,
        response.status,
        [],
      ]);
  });

  it('accepts what the service accepts, and rejects what it rejects', async () => {
    const id = '01900000-0000-7000-8000-000000000000';
    const bodies: [unknown, boolean][] = [
      [{ title: 'x' }, true],
      [{}, false],
      [{ title: null }, false],
      [{ title: 'x', status: 'other' }, false],
      [{ title: 'x', published_at: '2026-01-02' }, true],
      [{ title: 'x', published_at: 'now' }, true],
      [{ title: 'x', published_at: 'soon' }, false],
      [{ title: 'x', rank: 256 }, false],
      [{ title: 'x', big: '-9223372036854775808' }, true],
      [{ title: 'x', slug: 'y'.repeat(256) }, false],
      [{ title: 'x', id }, false],
      [{ title: 'x', created_at: 'now' }, false],
      [{ title: 'x', tags: [{ title: 'new' }] }, true],
      [{ title: 'x', tags: { $set: [] } }, true],
      [{ title: 'x', tags: { $add: [], $unknown: [] } }, false],
      [{ title: 'x', category: { name: 'no such field' } }, false],
      [{ title: 'x', owner: null }, true],
    ];
    const validate = document.validatorOf({ $ref: '#/components/schemas/PostCreate' });
    for (const [body, taken] of bodies) {
      const { status } = await root.post('/api/content/posts', body);
      expect([body, validate(body), status]).toEqual([body, taken, taken ? 201 : 400]);
    }
    const filters: [unknown, boolean][] = [
      [{ status: { $in: ['draft'] } }, true],
      [{ 'category.title': 'x' }, true],
      [{ tags: { $some: { title: 'x' } } }, true],
      [{ $or: [{ views: { $gt: 1 } }, { $not: { title: null } }] }, true],
      [{ views: { $like: 'x' } }, false],
      [{ raw: 'AAE=' }, false],
      [{ secret: 'x' }, false],
      [{ nothing: 1 }, false],
      [{ views: { $near: 1 } }, false],
    ];
    const isValidFilter = document.validatorOf({ $ref: '#/components/schemas/PostFilter' });
    for (const [filter, taken] of filters) {
      const { status } = await root.get(`/api/content/posts?filter=${encodeURIComponent(JSON.stringify(filter))}`);
      expect([filter, isValidFilter(filter), status]).toEqual([filter, taken, taken ? 200 : 400]);
    }
  });
});
