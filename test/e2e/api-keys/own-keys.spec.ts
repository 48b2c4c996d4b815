import { createHash } from 'node:crypto';
import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import { makeKey, outcome, tally } from '../../support/api-keys.js';
import { useMailedApp } from '../../support/mailbox.js';
import { PASSWORD, signedIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';

const KEYS = '/api/auth/keys';
const USERS = '/api/content/users';
const NOBODYS = '01900000-0000-7000-8000-000000000000';

describe('the API keys of a user', () => {
  const world = useMailedApp();
  const administrator = () => signedIn(world.app, { roles: ['admin'] });

  it('are returned once, with their properties', async () => {
    const { token } = await administrator();
    const answer = await world.app
      .as(token)
      .post(KEYS, { name: 'nightly build', expires_in_days: 30, current_password: PASSWORD })
      .expect(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { data } = answer.body;
    expect(data).toEqual({
      id: expect.any(String),
      name: 'nightly build',
      addresses: null,
      prefix: expect.stringMatching(/^lin_pat_[0-9A-Za-z]{4}$/),
      key: expect.stringMatching(/^lin_pat_[0-9A-Za-z]{36}$/),
      scopes: null,
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      last_used_at: null,
      rotated_at: null,
    });
    expect(Date.parse(data.expires_at) - Date.parse(data.created_at)).toBe(30 * 86_400_000);
    const { key, ...listed } = data;
    const list = await world.app.as(token).get(KEYS).expect(200);
    expect(list.body).toEqual({ data: [listed] });
    expect(JSON.stringify(list.body)).not.toContain(key.slice(12));
  });

  it('are stored only as SHA-256 hashes', async () => {
    const { token } = await administrator();
    const { key, id } = await makeKey(world.app, token);
    const [row] = await world.app.sql('SELECT * FROM api_keys WHERE id = $1', [id]);
    expect(row!['key_hash']).toBe(createHash('sha256').update(key).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(key.slice(12));
    expect(JSON.stringify(await world.app.sql('SELECT * FROM background_jobs'))).not.toContain(key.slice(12));
  });

  it('have the rights of their owner', async () => {
    const { token, person } = await signedIn(world.app);
    const { key } = await makeKey(world.app, token);
    const own = await world.app.as(key).get(`${USERS}/${person.id}`).expect(200);
    expect(own.body.data).toMatchObject({ id: person.id });
    const { person: other } = await signedIn(world.app);
    expect(outcome(await world.app.as(key).get(`${USERS}/${other.id}`))).toEqual([404, 'record_not_found']);
    expect(outcome(await world.app.as(key).get('/api/schema'))).toEqual([403, 'permission_denied']);
  });

  it('expire after 90 days by default', async () => {
    const { token } = await administrator();
    const { key, created_at, expires_at } = await makeKey(world.app, token);
    expect(Date.parse(expires_at!) - Date.parse(created_at)).toBe(90 * 86_400_000);
    world.app.clock.advance(90 * 86_400 - 10);
    await world.app.as(key).get(USERS).expect(200);
    world.app.clock.advance(10);
    expect(outcome(await world.app.as(key).get(USERS))).toEqual([401, 'key_expired']);
  });

  it.each([
    ['me', 'get', '/api/auth/me'],
    ['sessions', 'get', '/api/auth/sessions'],
    ['the revocation of a session', 'delete', `/api/auth/sessions/${NOBODYS}`],
    ['logout', 'post', '/api/auth/logout'],
    ['a new password', 'post', '/api/auth/local/password'],
    ['another address', 'post', '/api/auth/local/email/change'],
    ['a name', 'patch', '/api/auth/me'],
    ['identities', 'get', '/api/auth/identities'],
    ['permissions', 'get', '/api/auth/permissions'],
    ['keys', 'get', KEYS],
    ['another key', 'post', KEYS],
    ['a rotation', 'post', `${KEYS}/${NOBODYS}/rotate`],
    ['the revocation of a key', 'delete', `${KEYS}/${NOBODYS}`],
    ['service accounts', 'get', '/api/service-accounts'],
    ['a service account', 'post', '/api/service-accounts'],
    ['a key of a service account', 'post', `/api/service-accounts/${NOBODYS}/keys`],
  ] as const)('are rejected at %s, for any owner and scopes', async (_what, method, path) => {
    const { token } = await administrator();
    const all = await makeKey(world.app, token);
    const wide = await makeKey(world.app, token, {
      scopes: [{ resource: '*' }, { resource: 'auth.*' }, { resource: 'service-accounts.*' }],
    });
    for (const { key } of [all, wide]) {
      const client = world.app.as(key);
      const body = { name: 'x', roles: [], password: PASSWORD, current_password: PASSWORD };
      const request = method === 'get' || method === 'delete' ? client[method](path) : client[method](path, body);
      expect(outcome(await request)).toEqual([403, 'key_not_allowed']);
    }
  });

  it('do not list routes that reject them', async () => {
    const { token } = await administrator();
    const { key } = await makeKey(world.app, token);
    const { body } = await world.app.as(key).get('/api/openapi.json').expect(200);
    const paths = Object.keys(body.paths as object);
    expect(paths).toContain('/api/schema');
    expect(paths.filter((path) => path === '/api/auth/me' || path.startsWith('/api/service-accounts'))).toEqual([]);
  });

  it('report their last use to the minute, without a write per request', async () => {
    const { token } = await administrator();
    const { key, id } = await makeKey(world.app, token);
    const used = async () => (await world.app.sql('SELECT last_used_at FROM api_keys WHERE id = $1', [id]))[0];
    const sent = await statementsOf(() => world.app.as(key).get(USERS).expect(200));
    expect(sent.filter(({ text }) => /\b(UPDATE|INSERT|DELETE)\b/.test(text))).toEqual([]);
    const { ApiKeyDirectory } = await import('../../../src/features/api-keys/api-key-directory.service.js');
    await world.app.get(ApiKeyDirectory).flush();
    const at = (await used())!['last_used_at'] as Date;
    expect(Math.abs(at.getTime() - world.app.clock.nowMs())).toBeLessThan(10_000);
  });

  it('are reported to their owner by mail, without the key or its name', async () => {
    const { token, person } = await administrator();
    const { key, prefix } = await makeKey(world.app, token, { name: 'visit https://evil.example' });
    const mail = await world.mailTo(person.email);
    expect(mail.subject).toContain('new API key');
    expect(mail.text).toContain(prefix);
    expect(JSON.stringify(mail)).not.toContain(key.slice(12));
    expect(JSON.stringify(mail)).not.toContain('evil.example');
  });

  it('do not appear in the log, however they are sent', async () => {
    const { token } = await administrator();
    const { key } = await makeKey(world.app, token);
    const client = world.app.asGuest();
    await world.app.as(key).get(USERS).expect(200);
    await world.app.as(`${key}x`).get(USERS).expect(401);
    await client.get(`${USERS}?key=${key}`).expect(401);
    await client.get(`/api/${key}`).expect(404);
    await client.get(`${USERS}/${key}`).set('cookie', `token=${key}`).expect(401);
    await client.post(`${KEYS}/report`, { key: [key] }).expect(422);
    await client.post(`${KEYS}/report`, { key }).expect(202);
    expect(world.app.log.join('\n')).not.toContain(key.slice(12));
  });

  describe('are created', () => {
    it.each([
      [{}, 'name', 'required'],
      [{ name: '' }, 'name', 'required'],
      [{ name: 7 }, 'name', 'type_invalid'],
      [{ name: 'x'.repeat(101) }, 'name', 'too_long'],
      [{ name: 'x', scopes: 'content.*' }, 'scopes', 'type_invalid'],
      [{ name: 'x', scopes: null }, 'scopes', 'type_invalid'],
      [{ name: 'x', scopes: ['content.*'] }, 'scopes', 'type_invalid'],
      [{ name: 'x', scopes: Array.from({ length: 51 }, () => ({ resource: '*' })) }, 'scopes', 'too_long'],
      [{ name: 'x', scopes: [{}] }, 'scopes.0.resource', 'value_invalid'],
      [{ name: 'x', scopes: [{ resource: 'content post' }] }, 'scopes.0.resource', 'value_invalid'],
      [
        { name: 'x', scopes: [{ resource: '*' }, { resource: 'a.b', value: 'maybe' }] },
        'scopes.1.value',
        'value_invalid',
      ],
      [
        { name: 'x', scopes: [{ resource: 'content.user.get', value: 'record.no_such' }] },
        'scopes.0.value',
        'value_invalid',
      ],
      [{ name: 'x', scopes: [{ resource: 'content.user.get', fields: ['id'] }] }, 'scopes.0.fields', 'value_invalid'],
      [{ name: 'x', scopes: [{ resource: '*', fields: { read: [7] } }] }, 'scopes.0.fields.read', 'value_invalid'],
      [{ name: 'x', scopes: [{ resource: '*', within: {} }] }, 'scopes.0.within', 'unknown_field'],
      [{ name: 'x', scopes: [{ resource: '*', schemaVersion: 0 }] }, 'scopes.0.schemaVersion', 'unknown_field'],
      [{ name: 'x', expires_in_days: 0 }, 'expires_in_days', 'value_invalid'],
      [{ name: 'x', expires_in_days: 3_651 }, 'expires_in_days', 'value_invalid'],
      [{ name: 'x', expires_in_days: 1.5 }, 'expires_in_days', 'value_invalid'],
      [{ name: 'x', expires_in_days: '30' }, 'expires_in_days', 'value_invalid'],
      [{ name: 'x', expires_in_days: null }, 'expires_in_days', 'type_invalid'],
    ])('only with valid members: %j is rejected', async (body, field, code) => {
      const { token } = await administrator();
      const answer = await world.app.as(token).post(KEYS, body).expect(422);
      expect(answer.body.data.errors).toEqual([{ field, code, message: expect.any(String) }]);
      expect((await world.app.as(token).get(KEYS)).body).toEqual({ data: [] });
    });

    it('with the password or a step-up, and not with a recent sign-in only', async () => {
      const { token, person } = await administrator();
      const client = world.app.as(token);
      const refused = await client.post(KEYS, { name: 'x' });
      expect(outcome(refused)).toEqual([401, 'step_up_required']);
      expect(refused.headers['www-authenticate']).toContain('insufficient_user_authentication');
      const wrong = await client.post(KEYS, { name: 'x', current_password: 'not it at all' });
      expect(outcome(wrong)).toEqual([401, 'invalid_credentials']);
      await client.post(KEYS, { name: 'x', current_password: person.password }).expect(201);
      expect(outcome(await client.post(KEYS, { name: 'x' }))).toEqual([401, 'step_up_required']);
      await client.post('/api/auth/mfa/step-up', { method: 'password', password: person.password }).expect(200);
      await client.post(KEYS, { name: 'x' }).expect(201);
      world.app.clock.advance(601);
      expect(outcome(await client.post(KEYS, { name: 'x' }))).toEqual([401, 'step_up_required']);
    });

    it('up to fifty times, without expired ones', async () => {
      const { token, person } = await administrator();
      await world.app.sql(
        `INSERT INTO api_keys (id, user_id, name, prefix, key_hash, schema_version, created_at, expires_at)
         SELECT gen_random_uuid(), $1::uuid, 'x', 'x', $1::text || n, 0, now(), CASE WHEN n > 49 THEN $2::timestamptz END
         FROM generate_series(1, 60) n`,
        [person.id, new Date(world.app.clock.nowMs() - 1)],
      );
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => world.app.as(token).post(KEYS, { name: 'x', current_password: PASSWORD })),
      );
      expect(tally(answers)).toEqual({ '201': 1, '409 too_many_keys': 7 });
    });

    it('only for signed-in users', async () => {
      expect(outcome(await world.app.asGuest().post(KEYS, { name: 'x' }))).toEqual([401, 'token_missing']);
    });

    it('only with the permission', async () => {
      await world.app
        .get(RoleSeeder)
        .seed([{ name: 'keyless', permissions: [{ resource: 'auth.keys.*', value: 'deny', fields: null }] }]);
      const { token } = await signedIn(world.app, { roles: ['keyless'] });
      expect(outcome(await world.app.as(token).post(KEYS, { name: 'x', current_password: PASSWORD }))).toEqual([
        403,
        'permission_denied',
      ]);
    });
  });
});
