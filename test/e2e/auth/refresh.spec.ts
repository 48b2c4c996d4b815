import { AccountService } from '../../../src/identity/auth/account.service.js';
import { createPerson, signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const REFRESH = '/api/auth/token/refresh';
const ME = '/api/auth/me';

interface TokenSet {
  token: string;
  expires: string;
  refresh_token: string;
  refresh_token_expires: string;
}

describe('POST /api/auth/token/refresh', () => {
  const world = useTestApp({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
  const refresh = (refresh_token: unknown) => world.app.asGuest().post(REFRESH, { refresh_token });

  async function login(): Promise<TokenSet & { userId: string }> {
    const person = await createPerson(world.app);
    const { body } = await world.app
      .asGuest()
      .post('/api/auth/local/login', { login: person.email, password: person.password })
      .expect(200);
    return { ...(body as TokenSet), userId: person.id };
  }

  it('returns a new access token for 15 minutes and a new refresh token for 7 days', async () => {
    const first = await login();
    const seconds = (text: string): number => Math.round((Date.parse(text) - world.app.clock.nowMs()) / 1_000);
    expect(Math.abs(seconds(first.expires) - 900)).toBeLessThanOrEqual(2);
    expect(Math.abs(seconds(first.refresh_token_expires) - 604_800)).toBeLessThanOrEqual(2);
    const { body } = await refresh(first.refresh_token).expect(200);
    expect(Object.keys(body).sort()).toEqual(['expires', 'refresh_token', 'refresh_token_expires', 'token']);
    expect(body.refresh_token).not.toBe(first.refresh_token);
    expect(body.refresh_token).toMatch(/^[\w-]{43}$/);
    await world.app
      .as(body.token as string)
      .get(ME)
      .expect(200);
    await world.app.as(first.token).get(ME).expect(200);
  });

  it('continues a session after its access tokens expire', async () => {
    let set: TokenSet = await login();
    for (let day = 0; day < 10; day += 1) {
      world.app.clock.advance(86_400);
      expect((await world.app.as(set.token).get(ME).expect(401)).body.data.error).toBe('token_expired');
      set = (await refresh(set.refresh_token).expect(200)).body as TokenSet;
      await world.app.as(set.token).get(ME).expect(200);
    }
  });

  it('accepts the previous token for ten seconds with the same successor, and revokes the session afterwards', async () => {
    const first = await login();
    const second = (await refresh(first.refresh_token).expect(200)).body as TokenSet;
    world.app.clock.advance(9);
    const again = (await refresh(first.refresh_token).expect(200)).body as TokenSet;
    expect(again.refresh_token).toBe(second.refresh_token);
    world.app.clock.advance(2);
    expect((await refresh(first.refresh_token).expect(401)).body.data).toEqual({ error: 'refresh_token_reused' });
    expect((await refresh(second.refresh_token).expect(401)).body.data).toEqual({ error: 'refresh_token_invalid' });
    await world.app.as(second.token).get(ME).expect(401);
  });

  it('revokes the session if an older token returns, also within ten seconds', async () => {
    const first = await login();
    const second = (await refresh(first.refresh_token).expect(200)).body as TokenSet;
    const third = (await refresh(second.refresh_token).expect(200)).body as TokenSet;
    expect((await refresh(first.refresh_token).expect(401)).body.data.error).toBe('refresh_token_reused');
    await refresh(third.refresh_token).expect(401);
  });

  it('leaves one valid branch after 16 concurrent uses', async () => {
    const first = await login();
    const answers = await Promise.all(Array.from({ length: 16 }, () => refresh(first.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
    const living = await world.app.sql(
      'SELECT 1 FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id WHERE s.user_id = $1 AND t.used_at IS NULL',
      [first.userId],
    );
    expect(living).toHaveLength(1);
  });

  it('works across instances', async () => {
    const first = await login();
    const other = await world.app.secondInstance({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
    const { body } = await other.asGuest().post(REFRESH, { refresh_token: first.refresh_token }).expect(200);
    await other.stop();
    await refresh(body.refresh_token).expect(200);
  });

  it('renews a session on every instance, also where it is cached', async () => {
    const first = await login();
    const other = await world.app.secondInstance({ env: { AUTH_ENABLE_REFRESH_TOKEN: 'true' } });
    await other.as(first.token).get(ME).expect(200);
    world.app.clock.advance(600_000);
    const second = (await refresh(first.refresh_token).expect(200)).body as TokenSet;
    world.app.clock.advance(6_000);
    const third = (await refresh(second.refresh_token).expect(200)).body as TokenSet;
    await other.as(third.token).get(ME).expect(200);
    await other.stop();
  });

  it('expires', async () => {
    const first = await login();
    world.app.clock.advance(604_800);
    expect((await refresh(first.refresh_token).expect(401)).body.data).toEqual({ error: 'refresh_token_expired' });
  });

  it('fails after a logout, a deactivation and a new password', async () => {
    const accounts = world.app.get(AccountService);
    const ways: ((set: TokenSet & { userId: string }) => Promise<unknown>)[] = [
      async ({ token }) => world.app.as(token).post('/api/auth/logout').expect(200),
      ({ userId }) => accounts.deactivate(userId),
      ({ userId }) => accounts.setPassword(userId, 'another sturdy walnut'),
    ];
    for (const end of ways) {
      const set = await login();
      await end(set);
      expect((await refresh(set.refresh_token).expect(401)).body.data).toEqual({ error: 'refresh_token_invalid' });
    }
  });

  it('rejects an access token as a refresh token and vice versa, naming the type', async () => {
    const set = await login();
    expect((await refresh(set.token).expect(422)).body.data.error).toBe('validation_failed');
    expect((await refresh('x'.repeat(43)).expect(401)).body.data.error).toBe('refresh_token_invalid');
    await world.app.as(set.refresh_token).get(ME).expect(401);
    for (const value of [undefined, null, '', 1, ['x'], { $ne: '' }]) await refresh(value).expect(422);
  });

  it('stores no refresh token in clear text and logs none', async () => {
    const set = await login();
    await refresh(set.refresh_token).expect(200);
    expect(JSON.stringify(await world.app.sql('SELECT * FROM refresh_tokens'))).not.toContain(set.refresh_token);
    expect(world.app.log.join('')).not.toContain(set.refresh_token);
  });
});

describe('without refresh tokens', () => {
  const world = useTestApp();

  it('the route reports that they are off, for any body', async () => {
    for (const body of [{ refresh_token: 'x' }, {}]) {
      expect((await world.app.asGuest().post(REFRESH, body).expect(403)).body.data).toEqual({
        error: 'refresh_disabled',
      });
    }
  });
});

describe('GET and DELETE /api/auth/sessions', () => {
  const world = useTestApp();
  const SESSIONS = '/api/auth/sessions';

  it('lists the own sessions, revokes one, and revokes all others', async () => {
    const { person, token } = await signedIn(world.app);
    const sign = async (): Promise<string> => {
      const request = world.app
        .asGuest()
        .post('/api/auth/local/login', { login: person.email, password: person.password });
      return ((await request.set('user-agent', 'Walnut/1.0').expect(200)).body as { token: string }).token;
    };
    const [second, third] = [await sign(), await sign()];
    const stranger = await signedIn(world.app);
    const list = async (as: string) =>
      (await world.app.as(as).get(SESSIONS).expect(200)).body.data as {
        id: string;
        current: boolean;
        device: string;
      }[];
    const mine = await list(second);
    expect(mine).toHaveLength(3);
    expect(mine.filter(({ current }) => current)).toEqual([
      {
        id: expect.any(String),
        current: true,
        provider: 'local',
        device: 'Walnut/1.0',
        address: '127.0.0.1',
        place: null,
        same_network: true,
        created_at: expect.stringMatching(/Z$/),
        last_used_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
      },
    ]);
    const secondId = mine.find(({ current }) => current)?.id as string;
    for (const id of [secondId, 'x', '00000000-0000-7000-8000-000000000000']) {
      expect((await world.app.as(stranger.token).delete(`${SESSIONS}/${id}`).expect(404)).body.data.error).toBe(
        'session_not_found',
      );
    }
    await world.app.as(token).delete(`${SESSIONS}/${secondId}`).expect(200);
    await world.app.as(second).get(ME).expect(401);
    await world.app.as(third).delete(SESSIONS).expect(200);
    await world.app.as(token).get(ME).expect(401);
    expect(await list(third)).toHaveLength(1);
    await world.app.as(stranger.token).get(ME).expect(200);
    await world.app.asGuest().get(SESSIONS).expect(401);
  });
});
