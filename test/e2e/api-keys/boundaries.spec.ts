import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import supertest from 'supertest';
import { RouteAccessInspector } from '../../../src/identity/auth/access/route-access.inspector.js';
import { makeKey, makeServiceKey, outcome } from '../../support/api-keys.js';
import { personWith } from '../../support/content-fixture.js';
import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import { textOf } from '../metrics/support/scrape.js';

const NOBODYS = '01900000-0000-7000-8000-000000000000';
const WHOLE_KEY = /lin_(?:pat|svc)_[0-9A-Za-z]{36}/g;

describe('an API key', () => {
  const world = useTestApp({
    env: {
      METRICS_PORT: '0',
      AUTH_OTP_ENABLED: 'true',
      AUTH_ENABLE_REFRESH_TOKEN: 'true',
      AUTH_CLI_LOGIN_ENABLED: 'true',
    },
  });
  const administrator = () => signedIn(world.app, { roles: ['admin'] });

  it('cannot use a route that is reserved for users', async () => {
    const { token } = await administrator();
    const keys = [
      (await makeKey(world.app, token)).key,
      (await makeKey(world.app, token, { scopes: [{ resource: '*' }, { resource: 'auth.*' }] })).key,
      (await makeServiceKey(world.app, token, ['admin'])).key,
    ];
    const routes = world.app
      .get(RouteAccessInspector)
      .list()
      .flatMap(({ controller, name, access }) => {
        if (
          access?.public !== false ||
          access.resource === null ||
          !/^(auth|keys|service-accounts)\./.test(access.resource)
        )
          return [];
        const handler = (controller.prototype as Record<string, object>)[name]!;
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number]!.toLowerCase();
        const parts = [controller, handler].map((place) => String(Reflect.getMetadata(PATH_METADATA, place)));
        const path = `/${parts.join('/')}`.replace(/:\w+/g, NOBODYS).replace(/\/+$/, '').replace(/\/+/g, '/');
        return [[method as 'get', path] as const];
      });
    expect(routes.length).toBeGreaterThan(25);
    for (const key of keys)
      for (const [method, path] of routes) {
        const answer = await supertest(world.app.server)[method](path).set('authorization', `Bearer ${key}`);
        expect([method, path, ...outcome(answer)]).toEqual([method, path, 403, 'key_not_allowed']);
      }
  });

  it('cannot become a session by a refresh, a cookie, an exchange or a step-up', async () => {
    const { token } = await administrator();
    const { key } = await makeKey(world.app, token);
    const client = world.app.as(key);
    const attempts = [
      client.post('/api/auth/token/resume').set('lintel-session', 'cookie'),
      client.post('/api/auth/token/refresh', { refresh_token: key }),
      client.post('/api/auth/exchange', { code: key }),
      client.post('/api/auth/mfa/step-up', { method: 'password', password: 'sturdy walnut 47' }),
      world.app
        .asGuest()
        .post('/api/auth/token/resume')
        .set({ 'lintel-session': 'cookie', cookie: `session=${key}` }),
    ];
    for (const attempt of attempts) {
      const answer = await attempt;
      expect([400, 401, 403, 404]).toContain(answer.status);
      expect(answer.headers['set-cookie'] ?? []).not.toEqual(expect.arrayContaining([expect.stringContaining(key)]));
      expect(answer.text).not.toMatch(/"token"/);
    }
  });

  it('reads no password, over any route', async () => {
    const { token } = await administrator();
    const read = ['id', 'password', 'password_hash', 'email_key', 'credentials_version'];
    for (const scopes of [undefined, [{ resource: 'content.user.*', fields: { read } }]]) {
      const client = world.app.as((await makeKey(world.app, token, { scopes })).key);
      for (const query of [
        '',
        '?select=password',
        '?select=password_hash',
        '?filter={"password":{"$ne":null}}',
        '?sort=password',
        '?filter={"password_hash":{"$like":"$argon%"}}',
      ]) {
        const answer = await client.get(`/api/content/users${query}`);
        expect([query, answer.status]).toEqual([query, query === '' ? 200 : 400]);
        expect(answer.text).not.toContain('$argon2');
        for (const item of (answer.body as { data?: { items?: object[] } }).data?.items ?? [])
          expect(Object.keys(item).filter((name) => /password|hash/.test(name))).toEqual([]);
      }
    }
  });

  it('has no rights that its owner has only by ownership', async () => {
    const { client } = await personWith(world.app, [{ resource: 'content.user.get', value: 'record.id == auth.id' }]);
    const { key } = await makeKey(world.app, client.token!, { scopes: [{ resource: '*' }] });
    for (const path of [
      '/api/audit',
      '/api/mails',
      '/api/settings',
      '/api/schema',
      '/api/keys',
      '/api/service-accounts',
    ])
      expect([path, (await world.app.as(key).get(path)).status]).toEqual([path, 403]);
  });

  it('does not appear in logs, audit log, metrics, responses or descriptions', async () => {
    const { token, person } = await administrator();
    const made = await makeKey(world.app, token);
    const program = await makeServiceKey(world.app, token, ['admin']);
    const answers: string[] = [];
    for (const { key, id } of [made, program]) {
      const client = world.app.as(key);
      for (const request of [
        client.get('/api/content/users'),
        client.get(`/api/content/users/${key}`),
        client.get(`/api/content/users?filter={"email":"${key}"}`),
        client.get(`/api/content/${key}`),
        client.post('/api/auth/introspect', { token: key }),
        client.post('/api/auth/local/login', { login: key, password: key }),
        client.get('/api/auth/me'),
        world.app.as(token).get(`/api/keys?prefix=${key}`),
        world.app.as(token).delete(`/api/keys/${key}`),
        world.app.as(token).get('/api/auth/keys'),
        world.app.as(token).get('/api/auth/me/export'),
        world.app.as(token).get('/api/keys'),
        world.app.as(token).get('/api/audit'),
        world.app.as(token).get('/api/openapi.json'),
        world.app.as(`${key.slice(0, -1)}_`).get('/api/content/users'),
      ])
        answers.push((await request).text);
      await world.app.as(token).delete(`/api/keys/${id}`).expect(200);
    }
    const audit = JSON.stringify(await world.app.sql('SELECT * FROM audit_events'));
    const jobs = JSON.stringify(await world.app.sql('SELECT * FROM background_jobs'));
    const places = {
      audit,
      jobs,
      metrics: await textOf(world.app),
      log: world.app.log.join('\n'),
      answers: answers.join('\n'),
    };
    for (const [where, text] of Object.entries(places)) {
      for (const { key } of [made, program]) expect([where, text.includes(key.slice(12))]).toEqual([where, false]);
      expect([where, text.match(WHOLE_KEY)]).toEqual([where, null]);
    }
    expect(audit).toContain(person.id);
  });
});
