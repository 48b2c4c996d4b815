import { PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

describe('usernames', () => {
  const world = useTestApp({ env: { AUTH_REG_RESERVED_USERNAMES: 'admin,Straßenwart' } });
  let counter = 0;
  const register = (username: string) =>
    world.app.asGuest().post('/api/auth/local/register', {
      email: `name${(counter += 1)}@example.com`,
      username,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });

  it.each([
    ['Straße7', 'STRASSE7'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ΔΣ1', 'δσ1'],
    ['diyarbakır', 'DIYARBAKIR'],
    ['Ünal', 'üNAL'],
  ])('%s and %s are equal: the second is taken, and either signs in', async (one, other) => {
    await register(one).expect(201);
    expect((await register(other).expect(400)).body.data).toEqual({ error: 'username_taken' });
    for (const login of [one, other])
      await world.app.asGuest().post('/api/auth/local/login', { login, password: PASSWORD }).expect(200);
  });

  it.each(['admın', 'аdmin', 'АDMIN', 'αdmin', 'adm1n', 'STRASSENWART', 'straẞenwart', 'strаssenwart'])(
    '%s looks like a reserved one, and is rejected',
    async (username) => {
      expect((await register(username).expect(400)).body.data).toEqual({ error: 'username_reserved' });
    },
  );
});
