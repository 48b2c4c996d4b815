import { AccountService } from '../../../src/identity/auth/account.service.js';
import { createPerson, signedIn } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const ME = '/api/auth/me';

describe('PATCH /api/auth/me', () => {
  const world = useTestApp({
    env: { AUTH_REG_RESERVED_USERNAMES: 'root, admin', AUTH_REG_ALLOWED_DOMAINS: 'acme.test' },
  });
  const patch = (token: string, body: unknown) => world.app.as(token).patch(ME, body);
  let counter = 0;
  const fresh = (): string => `fresh.${(counter += 1)}`;

  it('changes the given fields, keeps the rest, and returns the account', async () => {
    const { person, token } = await signedIn(world.app);
    const username = fresh();
    const { body } = await patch(token, { first_name: 'Ann', last_name: 'Walnut', username }).expect(200);
    expect(body).toMatchObject({ id: person.id, login: username, username, first_name: 'Ann', last_name: 'Walnut' });
    expect((await world.app.as(token).get(ME).expect(200)).body).toEqual(body);
    const later = await patch(token, { first_name: 'Anna' }).expect(200);
    expect(later.body).toMatchObject({ username, first_name: 'Anna', last_name: 'Walnut' });
    const empty = await patch(token, { first_name: null, last_name: '', username: null }).expect(200);
    expect(empty.body).toMatchObject({ login: person.email, username: null, first_name: null, last_name: null });
    expect((await patch(token, {}).expect(200)).body).toEqual(empty.body);
  });

  it('signs in with the new user name, and not with the old one', async () => {
    const { person, token } = await signedIn(world.app, { username: fresh() });
    const username = fresh();
    await patch(token, { username }).expect(200);
    const login = (name: string) =>
      world.app.asGuest().post('/api/auth/local/login', { login: name, password: person.password });
    await login(username.toUpperCase()).expect(200);
    await login(person.username!).expect(401);
  });

  it('rejects a taken user name in any case, and gives it to one of 16 requests', async () => {
    const taken = await createPerson(world.app, { username: fresh() });
    const { token } = await signedIn(world.app);
    for (const username of [taken.username!, taken.username!.toUpperCase()]) {
      expect((await patch(token, { username, first_name: 'Not' }).expect(400)).body.data.error).toBe('username_taken');
    }
    expect((await world.app.as(token).get(ME)).body.first_name).toBeNull();
    const people = await Promise.all(Array.from({ length: 16 }, () => signedIn(world.app)));
    const username = fresh();
    const answers = await Promise.all(people.map((one) => patch(one.token, { username })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.data?.error === 'username_taken')).toHaveLength(15);
  });

  it.each(['root', 'ROOT', 'аdmin', 'admın'])('rejects %s, which is reserved', async (username) => {
    const { token } = await signedIn(world.app);
    const { body } = await patch(token, { username });
    expect(['username_reserved', 'validation_failed']).toContain(body.data.error);
    expect((await world.app.as(token).get(ME)).body.username).toBeNull();
  });

  it('leaves a reserved name to its present account only', async () => {
    const { token } = await signedIn(world.app, { username: 'root' });
    await patch(token, { username: 'Root', last_name: 'Walnut' }).expect(200);
    await patch(token, { username: 'admin' }).expect(400);
  });

  it.each<[string, unknown]>([
    ['username', 'a@b.example'],
    ['username', ''],
    ['username', 'a b'],
    ['username', 'x'.repeat(61)],
    ['username', ['x']],
    ['first_name', 1],
    ['first_name', 'x'.repeat(101)],
    ['last_name', 'a\u0000b'],
    ['last_name', { $ne: '' }],
  ])('names an invalid %s: %j', async (field, value) => {
    const { token } = await signedIn(world.app);
    const { body } = await patch(token, { first_name: 'Ann', [field]: value }).expect(422);
    expect((body.data.errors as { field: string }[]).map((fault) => fault.field)).toEqual([field]);
    expect((await world.app.as(token).get(ME)).body.first_name).toBeNull();
  });

  it('rejects unknown members, and changes nothing', async () => {
    const { person, token } = await signedIn(world.app);
    const more = {
      id: 'x',
      email: 'x@x.example',
      roles: ['admin'],
      activated: false,
      provider: 'x',
      password: 'x',
      email_verified_at: null,
    };
    const refused = await patch(token, { first_name: 'Ann', ...more }).expect(422);
    const fields = (refused.body.data.errors as { field: string }[]).map(({ field }) => field);
    expect(fields).toEqual(Object.keys(more));
    const { body } = await world.app.as(token).get(ME).expect(200);
    expect(body).toMatchObject({
      first_name: null,
      id: person.id,
      email: person.email,
      roles: ['user'],
      activated: true,
      provider: 'local',
    });
  });

  it('needs a valid session and the Lintel pages', async () => {
    const { person, token } = await signedIn(world.app);
    const body = { first_name: 'Eve' };
    await world.app.asGuest().patch(ME, body).expect(401);
    await world.app
      .asGuest()
      .patch(ME, body)
      .set({ cookie: `token=${token}`, origin: 'https://evil.example' })
      .expect(403);
    await world.app.get(AccountService).deactivate(person.id);
    await patch(token, body).expect(401);
  });
});
