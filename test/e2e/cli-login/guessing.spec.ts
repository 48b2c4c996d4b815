import { initiate, nativeApp } from '../../support/native-app.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/cli/login/local';

describe('POST /api/auth/cli/login/local, guessing', () => {
  const world = useTestApp({ env: { AUTH_CLI_LOGIN_ENABLED: 'true', RATE_LIMIT_ENABLED: 'true' } });

  it('shares the failure budget of the password login', async () => {
    const person = await createPerson(world.app);
    const carrier = await initiate(world.app, nativeApp());
    const guess = { login: person.email, password: 'wrong' };
    for (let count = 0; count < 5; count += 1) {
      await world.app.asGuest().post('/api/auth/local/login', guess).expect(401);
      await world.app
        .asGuest()
        .post(LOGIN, { carrier, ...guess })
        .expect(401);
    }
    const right = { carrier, login: person.email, password: PASSWORD };
    const { body, headers } = await world.app.asGuest().post(LOGIN, right).expect(429);
    expect(body.data).toEqual({ error: 'rate_limited' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    const sent = await world.app.asGuest().post(LOGIN).type('form').send(right).expect(303);
    expect(sent.headers['location']).toBe(`/dash/login?cli=${carrier}#error=rate_limited`);
    await world.app.asGuest().post('/api/auth/local/login', { login: person.email, password: PASSWORD }).expect(429);
  });
});
