import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

describe('an access token that was verified before', () => {
  const world = useTestApp();
  const me = (token: string) => world.app.as(token).get('/api/auth/me');

  it('is refused once it has expired', async () => {
    const { token } = await signedIn(world.app);
    await me(token).expect(200);
    world.app.clock.advance(604_801);
    const { body } = await me(token).expect(401);
    expect(body.data.error).toBe('token_expired');
  });

  it('is refused once its session is over', async () => {
    const { token } = await signedIn(world.app);
    await me(token).expect(200);
    await world.app.as(token).post('/api/auth/logout').expect(200);
    const { body } = await me(token).expect(401);
    expect(body.data.error).toBe('token_invalid');
  });

  it('opens nothing for a token that differs from it in one place', async () => {
    const { token } = await signedIn(world.app);
    await me(token).expect(200);
    for (const other of [
      `${token}A`,
      `${token} x`,
      token.slice(0, -1),
      token.replace(/.$/, ''),
      `${token}.`,
      ` ${token}.x`,
    ]) {
      const { body } = await me(other).expect(401);
      expect(body.data.error).toBe('token_invalid');
    }
  });
});
