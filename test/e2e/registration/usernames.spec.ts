import { DataSource } from 'typeorm';
import { UsernameKeys1700000000016 } from '../../../src/platform/database/migrations/1700000000016-username-keys.js';
import { createPerson, PASSWORD, type Person } from '../../support/people.js';
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
  ])('%s and %s are one: the second is taken, and either signs in', async (one, other) => {
    await register(one).expect(201);
    expect((await register(other).expect(400)).body.data).toEqual({ error: 'username_taken' });
    for (const login of [one, other])
      await world.app.asGuest().post('/api/auth/local/login', { login, password: PASSWORD }).expect(200);
  });

  it.each(['admın', 'аdmin', 'АDMIN', 'αdmin', 'adm1n', 'STRASSENWART', 'straẞenwart', 'strаssenwart'])(
    '%s looks like a reserved one, and is refused',
    async (username) => {
      expect((await register(username).expect(400)).body.data).toEqual({ error: 'username_reserved' });
    },
  );

  it('that became one with the new comparison are told apart by a number, and nobody loses theirs but the later', async () => {
    const names = ['Straße8', 'STRASSE8', 'ΣΑΣ', 'σας', 'ann'] as const;
    const people: Person[] = [];
    for (const [index, name] of names.entries()) {
      const person = await createPerson(world.app, { username: null });
      const at = new Date(Date.UTC(2026, 0, index + 1));
      await world.app.sql(
        'UPDATE users SET username = $2, username_key = $3, created_at = $4 WHERE id = $1',
        // As names were compared before.
        [person.id, name, name === 'ΣΑΣ' ? 'σασ' : name.toLowerCase(), at],
      );
      people.push(person);
    }
    const migrate = async (way: 'up' | 'down') => {
      const runner = world.app.get(DataSource).createQueryRunner();
      await new UsernameKeys1700000000016()[way](runner);
      await runner.release();
    };
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await migrate('up');
    await migrate('up');
    expect(warned).toHaveBeenCalledTimes(2);
    warned.mockRestore();
    const found = () =>
      world.app.sql('SELECT username FROM users WHERE id = ANY($1) ORDER BY created_at', [people.map(({ id }) => id)]);
    expect((await found()).map(({ username }) => username)).toEqual(['Straße8-2', 'STRASSE8', 'ΣΑΣ', 'σας-2', 'ann']);
    for (const [index, { username }] of (await found()).entries()) {
      const { body } = await world.app
        .asGuest()
        .post('/api/auth/local/login', { login: username, password: PASSWORD })
        .expect(200);
      expect(
        (
          await world.app
            .as(body.token as string)
            .get('/api/auth/me')
            .expect(200)
        ).body.id,
      ).toBe(people[index]?.id);
    }
    await migrate('down');
    expect(await world.app.sql(`SELECT 1 FROM users WHERE username_key = 'straße8-2'`)).toHaveLength(1);
    await migrate('up');
  });
});
