import { RoleSeeder } from '../../../src/identity/users/roles/role-seeder.js';
import type { PermissionDefinition } from '../../../src/identity/users/roles/permission-faults.js';
import { makeKey, makeServiceKey, outcome, unknownKey } from '../../support/api-keys.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import { statementsOf } from '../../support/sent-statements.js';
import { type TestAppOptions, useTestApp } from '../../support/test-app.js';

const PATH = '/api/auth/introspect';
const INACTIVE = { active: false };

const WORLDS: [string, TestAppOptions][] = [
  ['HS256', {}],
  ['EdDSA', { env: { AUTH_TOKEN_ALG: 'EdDSA' } }],
];

describe.each(WORLDS)('token introspection, with %s', (_algorithm, options) => {
  const world = useTestApp(options);
  let root: string;
  let service: string;

  beforeAll(async () => {
    root = (await signedIn(world.app, { roles: ['admin'] })).token;
    await world.app
      .get(RoleSeeder)
      .seed([{ name: 'gateway', permissions: [{ resource: 'tokens.introspect', value: 'allow', fields: null }] }]);
    service = (await makeServiceKey(world.app, root, ['gateway'])).key;
  });

  const ask = (token: unknown, by = service) => world.app.as(by).post(PATH, { token });
  const about = async (token: unknown) => (await ask(token).expect(200)).body as Record<string, unknown>;
  const withRole = async (name: string, ...permissions: Partial<PermissionDefinition>[]) => {
    const complete = permissions.map((one) => ({ value: 'allow', fields: null, ...one })) as PermissionDefinition[];
    await world.app.get(RoleSeeder).seed([{ name, permissions: complete }]);
    return signedIn(world.app, { roles: [name] });
  };

  it('returns the account, expiration and rights of an access token', async () => {
    const { token, person } = await withRole(
      'clerk',
      { resource: 'acme.orders.*' },
      { resource: 'acme.orders.delete', value: 'deny' },
      { resource: 'acme.mine', value: `auth.email != ''` },
      { resource: 'acme.others', value: `auth.email == 'else@example.com'` },
      { resource: 'content.user.get', value: 'record.id == auth.id' },
    );
    const answer = await ask(token).expect(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({
      active: true,
      sub: person.id,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      token_type: 'access_token',
      iss: world.app.config.appUrl,
      exp: expect.any(Number),
      email: person.email,
      roles: ['clerk'],
      signed_in: true,
      permissions: { allow: ['acme.mine', 'acme.orders.*', 'auth.*'], deny: ['acme.orders.delete'] },
    });
  });

  it('reports all rights of a root account', async () => {
    expect(await about(root)).toMatchObject({ roles: ['admin'], permissions: { allow: ['*'], deny: [] } });
  });

  it('reports the scopes of an API key', async () => {
    const { token, person } = await withRole(
      'cut',
      { resource: 'acme.*' },
      { resource: 'acme.b', value: 'deny' },
      { resource: 'other.*' },
    );
    const scopes = [
      { resource: 'acme.a' },
      { resource: 'acme.c.*' },
      { resource: 'acme.rule', value: `auth.email == 'else@example.com'` },
      { resource: 'acme.d', value: 'deny' },
    ];
    const { key, id, expires_at } = await makeKey(world.app, token, { scopes });
    expect(await about(key)).toEqual({
      active: true,
      sub: person.id,
      sid: id,
      token_type: 'api_key',
      iss: world.app.config.appUrl,
      exp: Math.floor(Date.parse(expires_at!) / 1_000),
      email: person.email,
      roles: ['cut'],
      signed_in: false,
      permissions: { allow: ['acme.a', 'acme.c.*'], deny: ['acme.b', 'acme.d'] },
    });
    const lasting = await makeServiceKey(world.app, root, ['cut'], { expires_in_days: null });
    expect(await about(lasting.key)).not.toHaveProperty('exp');
  });

  it('accepts a form as the standard defines, and ignores other parameters', async () => {
    const { token } = await signedIn(world.app);
    const answer = await world.app
      .as(service)
      .post(PATH)
      .type('form')
      .send({ token, token_type_hint: 'refresh_token', scope: '*' })
      .expect(200);
    expect(answer.body).toMatchObject({ active: true });
  });

  it('returns only inactive for an invalid token of any kind', async () => {
    const person = await createPerson(world.app);
    const [out, expired] = [await signIn(world.app, person), await signIn(world.app, person)];
    await world.app.as(out).post('/api/auth/logout').expect(200);
    const shut = await signedIn(world.app);
    const key = await makeKey(world.app, shut.token);
    await world.app.as(root).patch(`/api/content/users/${shut.person.id}`, { activated: false }).expect(200);
    const gone = await signedIn(world.app);
    const brief = await makeKey(world.app, root, { expires_in_days: 1 });
    const ended = await makeKey(world.app, root);
    await world.app.as(root).delete(`/api/auth/keys/${ended.id}`).expect(200);
    await world.app.as(root).delete(`/api/content/users/${gone.person.id}`).expect(200);
    const [head, body, signature] = expired.split('.') as [string, string, string];
    const dead = [
      'x',
      'null',
      '.',
      '..',
      'a.b.c',
      'lin_',
      unknownKey(),
      unknownKey().slice(0, -1),
      key.key,
      ended.key,
      out,
      shut.token,
      gone.token,
      `${head}.${body}.`,
      `${head}.${body}.${signature.slice(0, -3)}abc`,
      `Bearer ${expired}`,
      ` ${expired}`,
      `${expired} `,
      `${expired}.x`,
    ];
    for (const token of dead) expect([token, await about(token)]).toEqual([token, INACTIVE]);
    expect(await about(brief.key)).toMatchObject({ active: true });
    world.app.clock.advance(86_400);
    expect(await about(brief.key)).toEqual(INACTIVE);
    world.app.clock.advance(604_800);
    expect(await about(expired)).toEqual(INACTIVE);
    root = (await signedIn(world.app, { roles: ['admin'] })).token;
  });

  it('rejects a body without a token', async () => {
    for (const token of [undefined, null, '', 7, ['x'], { a: 1 }, 'x'.repeat(8_193), 'a\0b'])
      expect([token, ...outcome(await ask(token))]).toEqual([token, 422, 'validation_failed']);
  });

  it('needs a separate permission, which no account has by default', async () => {
    const { token: asked } = await signedIn(world.app);
    const { token } = await signedIn(world.app);
    const { key } = await makeKey(world.app, token);
    const { key: cut } = await makeKey(world.app, root, { scopes: [{ resource: 'auth.*' }] });
    for (const by of [token, key, cut]) {
      expect(outcome(await ask(asked, by))).toEqual([403, 'permission_denied']);
      // No oracle: the response is the same for an invalid token.
      expect(outcome(await ask('x', by))).toEqual([403, 'permission_denied']);
    }
    expect(outcome(await world.app.asGuest().post(PATH, { token: asked }))).toEqual([401, 'token_missing']);
    expect(outcome(await world.app.as('x').post(PATH, { token: asked }))).toEqual([401, 'token_invalid']);
    expect(outcome(await world.app.as(unknownKey()).post(PATH, { token: asked }))).toEqual([401, 'key_invalid']);
    const { key: enough } = await makeKey(world.app, root, { scopes: [{ resource: 'tokens.introspect' }] });
    expect((await ask(asked, enough).expect(200)).body).toMatchObject({ active: true });
  });

  it('is allowed for the token in the header about itself', async () => {
    const { token, person } = await signedIn(world.app);
    expect((await ask(token, token).expect(200)).body).toMatchObject({ active: true, sub: person.id });
    const { key } = await makeKey(world.app, token, { scopes: [] });
    expect((await ask(key, key).expect(200)).body).toMatchObject({
      active: true,
      permissions: { allow: [], deny: [] },
    });
    expect(outcome(await ask(`${token} `, token))).toEqual([403, 'permission_denied']);
    expect(outcome(await ask(token, key))).toEqual([403, 'permission_denied']);
    const byCookie = await world.app
      .asGuest()
      .post(PATH, { token })
      .set({ cookie: `token=${token}`, 'sec-fetch-site': 'same-origin' });
    expect(outcome(byCookie)).toEqual([403, 'permission_denied']);
  });

  it('follows the end of a session and a change of role immediately', async () => {
    const { token } = await withRole('waiter', { resource: 'acme.table' });
    expect(await about(token)).toMatchObject({ permissions: { allow: ['acme.table', 'auth.*'] } });
    await world.app.get(RoleSeeder).seed([{ name: 'waiter', permissions: [] }]);
    expect(await about(token)).toMatchObject({ permissions: { allow: ['auth.*'] } });
    await world.app.as(token).post('/api/auth/logout').expect(200);
    expect(await about(token)).toEqual(INACTIVE);
  });

  it('costs no query for tokens and keys in use', async () => {
    const { token } = await signedIn(world.app);
    const { key } = await makeKey(world.app, token);
    const both = async () => {
      await about(token);
      await about(key);
    };
    await both();
    const statements = await statementsOf(async () => {
      for (let round = 0; round < 5; round += 1) await both();
    });
    // The listener reads change notices from time to time.
    const texts = statements.map(({ text }) => text);
    expect(texts.filter((text) => !text.includes('change_notices'))).toEqual([]);
  });
});
