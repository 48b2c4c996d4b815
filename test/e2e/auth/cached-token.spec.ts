import { signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

describe('a cached access token', () => {
  const world = useTestApp();
  const me = (token: string) => world.app.as(token).get('/api/auth/me');

  it('is rejected once it has expired', async () => {
    const { token } = await signedIn(world.app);
    await me(token).expect(200);
    world.app.clock.advance(604_801);
    const { body } = await me(token).expect(401);
    expect(body.data.error).toBe('token_expired');
  });

  it('is rejected once its session ends', async () => {
    const { token } = await signedIn(world.app);
    await me(token).expect(200);
    await world.app.as(token).post('/api/auth/logout').expect(200);
    const { body } = await me(token).expect(401);
    expect(body.data.error).toBe('token_invalid');
  });

  it('does not match a token that differs in one position', async () => {
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
