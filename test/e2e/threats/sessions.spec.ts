import { connect } from 'node:net';
import { AccountService } from '../../../src/identity/auth/account.service.js';
import { createPerson, type Person, signedIn, signIn } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';
const LOGOUT = '/api/auth/logout';
const LOGIN = '/api/auth/local/login';
const REFRESH = '/api/auth/token/refresh';

function raw(app: TestApp, lines: readonly string[]): Promise<number> {
  const { port } = new URL(app.url);
  const head = [...lines, 'Host: x', 'Connection: close', '', ''].join('\r\n');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(head));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(text.split(' ')[1])));
  });
}

describe('the source of a token', () => {
  const world = useTestApp();
  const guest = () => world.app.asGuest();

  it('is only the Authorization header or the cookie', async () => {
    const { token } = await signedIn(world.app);
    const places = [
      guest().get(`${ME}?access_token=${token}&token=${token}&authorization=Bearer%20${token}`),
      guest().get(ME).set('x-access-token', token),
      guest().get(ME).set('x-auth-token', token),
      guest().get(ME).set('proxy-authorization', `Bearer ${token}`),
      guest().get(ME).set('authorization', token),
      guest().get(ME).set('authorization', `Token ${token}`),
      guest().get(ME).set('authorization', `JWT ${token}`),
      guest()
        .get(ME)
        .set('authorization', `Basic ${Buffer.from(`token:${token}`).toString('base64')}`),
      guest().get(ME).set('authorization', `Bearer\t${token}`),
      guest().get(ME).set('cookie', `Token=${token}; access_token=${token}; __Host-token=${token}; jwt=${token}`),
      guest().post(LOGOUT, { token, access_token: token }),
    ];
    for (const request of places) expect((await request.expect(401)).body.data.error).toBe('token_missing');
  });

  it('additional text beside a token in the header makes it invalid', async () => {
    const { token } = await signedIn(world.app);
    for (const value of [
      `${token},`,
      `${token};`,
      `"${token}"`,
      `<${token}>`,
      `${token}.`,
      `${token}=`,
      `.${token}`,
      `token=${token}`,
      `Bearer ${token}`,
      `${token} ${token}`,
      `${token}, Basic x`,
      `${token}%20`,
      token.replaceAll('.', '..'),
      token.replace('.', '%2e'),
      token.toLowerCase(),
    ]) {
      const { body } = await guest().get(ME).set('authorization', `Bearer ${value}`).expect(401);
      expect([value, body.data.error]).toEqual([value, 'token_invalid']);
    }
  });

  it('two headers are not both used, nor mixed', async () => {
    const [one, other] = [await signedIn(world.app), await signedIn(world.app)];
    const line = (token: string): string => `Authorization: Bearer ${token}`;
    expect(await raw(world.app, [`GET ${ME} HTTP/1.1`, line(one.token)])).toBe(200);
    const [head, body, signature] = one.token.split('.');
    expect(await raw(world.app, [`GET ${ME} HTTP/1.1`, line(`${head}.${body}`), line(signature!)])).toBe(401);
    expect(await raw(world.app, [`GET ${ME} HTTP/1.1`, line('rubbish'), line(other.token)])).toBe(401);
    expect(await raw(world.app, [`GET ${ME} HTTP/1.1`, `Authorization: Bearer`, ` ${one.token}`])).toBeGreaterThan(399);
  });

  it('two cookies with the name are rejected, because one of them was planted', async () => {
    const [own, fixed] = [await signedIn(world.app), await signedIn(world.app)];
    for (const cookie of [
      `token=${own.token}; token=${fixed.token}`,
      `token=${fixed.token};token=${own.token}`,
      `a=b; token=${own.token}; token=`,
      `token=; token=${own.token}`,
      `token=${own.token}; token =${fixed.token}`,
      `token="${own.token}"; token=${fixed.token}`,
    ])
      await guest().get(ME).set('cookie', cookie).expect(401);
    await guest().get(ME).set('cookie', `mytoken=x; token=${own.token}; token2=y`).expect(200);
  });
});

describe('a request with only the cookie', () => {
  const world = useTestApp();
  const secure = useTestApp({ env: { APP_URL: 'https://lintel.test' } });

  const ELSEWHERE: Record<string, string>[] = [
    {},
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'file://' },
    { origin: 'http://lintel.test.evil.test' },
    { origin: 'http://evil.test/http://lintel.test' },
    { origin: 'http://lintel.test@evil.test' },
    { origin: 'http://evil.test#http://lintel.test' },
    { origin: 'http://lintel.test, http://evil.test' },
    { origin: 'http://lintel.test:8080' },
    { origin: 'ftp://lintel.test' },
    { origin: 'http://xlintel.test' },
    { referer: 'http://lintel.test/' },
    { host: 'lintel.test', origin: 'http://lintel.test:81' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://lintel.test' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': 'SAME-ORIGIN' },
    { 'x-requested-with': 'XMLHttpRequest' },
  ];

  it.each(ELSEWHERE)('has no effect with %j', async (headers) => {
    const { person, token } = await signedIn(world.app);
    const change = { new_email: 'moved@example.com', current_password: person.password };
    const sessions = () => world.app.sql('SELECT id FROM sessions WHERE user_id = $1', [person.id]);
    await signIn(world.app, person);
    const [first] = await world.app.sql<{ id: string }>('SELECT id FROM sessions WHERE user_id = $1', [person.id]);
    const unsafe = [
      world.app.asGuest().post(LOGOUT),
      world.app.asGuest().post('/api/auth/local/email/change', change),
      world.app.asGuest().delete('/api/auth/sessions'),
      world.app.asGuest().delete(`/api/auth/sessions/${first!.id}`),
    ];
    for (const request of unsafe) {
      const { body } = await request.set('cookie', `token=${token}`).set(headers).expect(403);
      expect(body.data).toEqual({ error: 'cross_site_request' });
    }
    expect(await sessions()).toHaveLength(2);
    expect(await world.app.sql(`SELECT 1 FROM one_time_secrets WHERE purpose = 'email-change'`)).toEqual([]);
  });

  it('cannot read for another site', async () => {
    const { token } = await signedIn(world.app);
    const origin = 'http://evil.test';
    const { headers } = await world.app
      .asGuest()
      .get(ME)
      .set({ cookie: `token=${token}`, origin })
      .expect(200);
    const preflight = await world.app
      .asGuest()
      .get(ME)
      .set({ origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' });
    for (const all of [headers, preflight.headers])
      expect(Object.keys(all).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('stays a read for a safe method with any method override', async () => {
    const { token } = await signedIn(world.app);
    const override = { 'x-http-method-override': 'POST', 'x-http-method': 'DELETE', 'x-method-override': 'DELETE' };
    const cookie = `token=${token}`;
    await world.app
      .asGuest()
      .get(`${LOGOUT}?_method=POST`)
      .set({ cookie, ...override })
      .expect(405);
    await world.app
      .asGuest()
      .get('/api/auth/sessions?_method=DELETE')
      .set({ cookie, ...override })
      .expect(200);
    await world.app.as(token).get(ME).expect(200);
  });

  it('is rejected from an unencrypted page if the service uses HTTPS', async () => {
    const { token } = await signedIn(secure.app);
    const logout = (origin: string) =>
      secure.app
        .asGuest()
        .post(LOGOUT)
        .set({ cookie: `token=${token}`, host: 'lintel.test', origin });
    for (const origin of ['http://lintel.test', 'ftp://lintel.test']) await logout(origin).expect(403);
    await logout('https://lintel.test').expect(200);
  });
});

describe('sessions', () => {
  const world = useTestApp({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const post = (path: string, body: unknown) => world.app.asGuest().post(path, body);
  const payload = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sid: string; jti: string; sub: string };

  async function login(person: Person): Promise<{ token: string; refresh_token: string }> {
    const { body } = await post(LOGIN, { login: person.email, password: person.password }).expect(200);
    return body as { token: string; refresh_token: string };
  }

  it('cannot be fixed: a sign-in creates a new one, whatever token, cookie or id is sent', async () => {
    const [attacker, victim] = [await createPerson(world.app), await createPerson(world.app)];
    const planted = await login(attacker);
    const { sid } = payload(planted.token);
    const signIn = { login: victim.email, password: victim.password };
    await post(LOGIN, { ...signIn, sid, session_id: sid, session: sid }).expect(422);
    const answer = await world.app
      .as(planted.token)
      .post(LOGIN, signIn)
      .set('cookie', `token=${planted.token}; sid=${sid}`)
      .expect(200);
    expect(payload(answer.body.token as string).sid).not.toBe(sid);
    expect(payload(answer.body.token as string).sub).toBe(victim.id);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await world.app.as(planted.token).get(ME).expect(200)).body.id).toBe(attacker.id);
  });

  it('a concurrent logout and refresh leave no session', async () => {
    const person = await createPerson(world.app);
    for (let round = 0; round < 6; round += 1) {
      const set = await login(person);
      const answers = await Promise.all([
        ...[1, 2, 3].map(() => post(REFRESH, { refresh_token: set.refresh_token })),
        world.app.as(set.token).post(LOGOUT),
        ...[1, 2, 3].map(() => post(REFRESH, { refresh_token: set.refresh_token })),
      ]);
      const sets = [set, ...answers.map(({ body }) => body as typeof set).filter(({ refresh_token }) => refresh_token)];
      for (const { token, refresh_token } of sets) {
        await world.app.as(token).get(ME).expect(401);
        await post(REFRESH, { refresh_token }).expect(401);
      }
    }
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('a concurrent new password and refresh leave no session', async () => {
    const person = await createPerson(world.app);
    const set = await login(person);
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => post(REFRESH, { refresh_token: set.refresh_token })),
      world.app.get(AccountService).setPassword(person.id, 'another sturdy walnut'),
    ]);
    for (const answer of answers) {
      const { token, refresh_token } = (answer?.body ?? set) as typeof set;
      if (token === undefined) continue;
      await world.app.as(token).get(ME).expect(401);
      await post(REFRESH, { refresh_token }).expect(401);
    }
    expect(await world.app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).toEqual([]);
  });

  it('two branches of one refresh token are both revoked on detection, on every instance', async () => {
    const second = await world.app.secondInstance({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
    const first = await login(await createPerson(world.app));
    const thief = (await post(REFRESH, { refresh_token: first.refresh_token }).expect(200)).body as typeof first;
    const further = (await post(REFRESH, { refresh_token: thief.refresh_token }).expect(200)).body as typeof first;
    await second.as(further.token).get(ME).expect(200);
    world.app.clock.advance(11);
    const owner = await second.asGuest().post(REFRESH, { refresh_token: first.refresh_token }).expect(401);
    expect(owner.body.data).toEqual({ error: 'refresh_token_reused' });
    await second.as(further.token).get(ME).expect(401);
    for (const { refresh_token } of [first, thief, further]) await post(REFRESH, { refresh_token }).expect(401);
    await second.stop();
  });

  it('a refresh token has one spelling and is revoked with its account', async () => {
    const person = await createPerson(world.app);
    const { refresh_token } = await login(person);
    for (const text of [`${refresh_token}=`, ` ${refresh_token}`, `${refresh_token} `, refresh_token.toLowerCase()])
      await post(REFRESH, { refresh_token: text }).expect(401);
    await world.app.sql('DELETE FROM users WHERE id = $1', [person.id]);
    expect((await post(REFRESH, { refresh_token }).expect(401)).body.data.error).toBe('refresh_token_invalid');
  });

  it('an id of another user revokes nothing, in any spelling', async () => {
    const [own, other] = [await signedIn(world.app), await signedIn(world.app)];
    const { sid } = payload(other.token);
    for (const id of [sid, sid.toUpperCase(), `{${sid}}`, sid.replaceAll('-', ''), `${sid}%20`, '*', '%25', 'null'])
      await world.app.as(own.token).delete(`/api/auth/sessions/${id}`).expect(404);
    await world.app.as(other.token).get(ME).expect(200);
    await world.app.as(own.token).delete('/api/auth/sessions').expect(200);
    await world.app.as(other.token).get(ME).expect(200);
  });
});
