import { AccountService } from '../../../src/identity/auth/account.service.js';
import { createPerson, signedIn, signIn } from '../../support/people.js';
import { type TestApp, useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';
const LOGOUT = '/api/auth/logout';

describe('the end of a session', () => {
  const world = useTestApp();
  let second: TestApp;
  beforeAll(async () => {
    second = await world.app.secondInstance();
  });
  afterAll(() => second.stop());

  /** Waits up to a second, as the contract promises, until the token is refused. Returns the error. */
  async function refusedSoon(app: TestApp, token: string): Promise<string> {
    for (let tries = 0; tries < 20; tries += 1) {
      const { status, body } = await app.as(token).get(ME);
      if (status === 401) return (body as { data: { error: string } }).data.error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('The token is still good after a second.');
  }

  describe('POST /api/auth/logout', () => {
    it('revokes this session immediately on every instance, and no other session', async () => {
      const { person, token } = await signedIn(world.app);
      const other = await signIn(world.app, person);
      await second.as(token).get(ME).expect(200);
      const { body } = await world.app.as(token).post(LOGOUT).expect(200);
      expect(body).toEqual({ message: expect.any(String) });
      await world.app.as(token).get(ME).expect(401);
      expect(await refusedSoon(second, token)).toBe('token_invalid');
      await world.app.as(other).get(ME).expect(200);
    });

    it('rejects a second time, and without a token', async () => {
      const { token } = await signedIn(world.app);
      await world.app.as(token).post(LOGOUT).expect(200);
      await world.app.as(token).post(LOGOUT).expect(401);
      await world.app.asGuest().post(LOGOUT).expect(401);
    });

    it('rejects a cookie from another site, and accepts one from our own pages', async () => {
      const { token } = await signedIn(world.app);
      const withCookie = () => world.app.asGuest().post(LOGOUT).set('cookie', `token=${token}`);
      const elsewhere: Record<string, string>[] = [
        {},
        { origin: 'http://evil.test' },
        { origin: 'null' },
        { origin: 'http://lintel.test.evil.test' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'cross-site', origin: 'http://lintel.test' },
      ];
      for (const headers of elsewhere) {
        const { body } = await withCookie().set(headers).expect(403);
        expect(body.data).toEqual({ error: 'cross_site_request' });
      }
      await world.app.as(token).get(ME).expect(200);
      await withCookie().set('origin', 'http://lintel.test').expect(200);
    });
  });

  it('happens on deactivation, on every instance, and activation does not restore it', async () => {
    const { person, token } = await signedIn(world.app);
    await second.as(token).get(ME).expect(200);
    await world.app.get(AccountService).deactivate(person.id);
    await world.app.as(token).get(ME).expect(401);
    await refusedSoon(second, token);
    await world.app.get(AccountService).activate(person.id);
    await world.app.as(token).get(ME).expect(401);
  });

  it('happens on a new password', async () => {
    const { person, token } = await signedIn(world.app);
    await second.get(AccountService).setPassword(person.id, 'another sturdy walnut');
    await refusedSoon(world.app, token);
    await world.app
      .asGuest()
      .post('/api/auth/local/login', { login: person.email, password: person.password })
      .expect(401);
  });

  it('happens on deletion of the account in the database, even if the notification is lost', async () => {
    const { person, token } = await signedIn(world.app);
    await world.app.as(token).get(ME).expect(200);
    // A notice without NOTIFY: only the check of versions can find it.
    await world.app.sql('DELETE FROM users WHERE id = $1', [person.id]);
    await world.app.sql(`INSERT INTO change_notices (topic, key) VALUES ('user', $1)`, [person.id]);
    await refusedSoon(world.app, token);
  });

  it('is not undone by a sign-in that was checked before a reset: no session starts', async () => {
    const person = await createPerson(world.app);
    const login = () =>
      world.app.asGuest().post('/api/auth/local/login', { login: person.email, password: person.password });
    const results = await Promise.all([
      ...Array.from({ length: 12 }, login),
      world.app
        .get(AccountService)
        .setPassword(person.id, 'another sturdy walnut')
        .then(() => null),
    ]);
    const tokens = results.flatMap((result) =>
      result?.status === 200 ? [(result.body as { token: string }).token] : [],
    );
    for (const token of tokens) await world.app.as(token).get(ME).expect(401);
  });
});
