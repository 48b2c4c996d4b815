import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const LOGIN = '/api/auth/local/login';

describe('POST /api/auth/local/login', () => {
  const world = useTestApp({ hasher: 'real' });
  const login = (body: unknown) => world.app.asGuest().post(LOGIN, body);

  describe('200', () => {
    it('returns a token set, by address and by user name, in any case', async () => {
      const person = await createPerson(world.app, { username: 'Ann.Lee', email: 'Ann@example.com' });
      for (const name of ['Ann@example.com', 'ANN@EXAMPLE.COM', 'Ann.Lee', 'ann.lee']) {
        const { body, headers } = await login({ login: name, password: person.password }).expect(200);
        expect(Object.keys(body).sort()).toEqual(['expires', 'token']);
        expect(headers['cache-control']).toBe('no-store');
        expect(headers['set-cookie']).toBeUndefined();
        const expires = Date.parse(body.expires as string);
        expect(body.expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Math.round((expires - world.app.clock.nowMs()) / 1_000)).toBeGreaterThan(604_790);
      }
      expect(await world.app.sql('SELECT * FROM sessions WHERE user_id = $1', [person.id])).toHaveLength(4);
    });

    it('compares passwords byte for byte: spaces, any script, not truncated at 72 bytes', async () => {
      const password = `  ünï ✓ ${'x'.repeat(80)}end `;
      const person = await createPerson(world.app, { password });
      await login({ login: person.email, password }).expect(200);
      for (const other of [password.trim(), password.normalize('NFD'), password.slice(0, 75), `${password} `]) {
        await login({ login: person.email, password: other }).expect(401);
      }
    });

    it('renews an older hash at login', async () => {
      const old = '$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$';
      const { hash } = await import('@node-rs/argon2');
      const passwordHash = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
      expect(passwordHash.startsWith(old.slice(0, 25))).toBe(true);
      const person = await createPerson(world.app, { passwordHash });
      await login({ login: person.email, password: PASSWORD }).expect(200);
      const [row] = await world.app.sql<{ password_hash: string }>('SELECT password_hash FROM users WHERE id = $1', [
        person.id,
      ]);
      expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      await login({ login: person.email, password: PASSWORD }).expect(200);
    });
  });

  describe('401', () => {
    it('responds the same for an unknown login, a wrong password and a federated account', async () => {
      const person = await createPerson(world.app);
      const federated = await createPerson(world.app, { passwordHash: null, provider: 'google' });
      const inactive = await createPerson(world.app, { activated: false });
      const bodies = [];
      for (const name of [
        person.email,
        federated.email,
        inactive.email,
        'nobody@example.com',
        'nobody',
        'a b\u0000c',
      ]) {
        const { body } = await login({ login: name, password: 'wrong password' }).expect(
          name.includes('\u0000') ? 422 : 401,
        );
        if (!name.includes('\u0000')) bodies.push(body);
      }
      expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
      expect(bodies[0]).toEqual({ code: '401', message: expect.any(String), data: { error: 'invalid_credentials' } });
      expect(
        await world.app.sql('SELECT * FROM sessions WHERE user_id = ANY($1)', [[person.id, federated.id, inactive.id]]),
      ).toEqual([]);
    });

    it('reports an inactive account only after the correct password', async () => {
      const person = await createPerson(world.app, { activated: false });
      const { body } = await login({ login: person.email, password: person.password }).expect(401);
      expect(body.data).toEqual({ error: 'account_inactive' });
    });

    it('rejects a long password without hashing all of it', async () => {
      const person = await createPerson(world.app);
      await login({ login: person.email, password: 'x'.repeat(500_000) }).expect(401);
    });
  });

  describe('422', () => {
    it('names every missing field', async () => {
      const { body } = await login({}).expect(422);
      expect(body).toEqual({
        code: '422',
        message: expect.any(String),
        data: {
          error: 'validation_failed',
          errors: [
            { field: 'login', code: 'required', message: expect.any(String) },
            { field: 'password', code: 'required', message: expect.any(String) },
          ],
        },
      });
    });

    it.each([
      [{ login: ['a@example.com', 'b@example.com'], password: PASSWORD }],
      [{ login: { $gt: '' }, password: { $gt: '' } }],
      [{ login: 1, password: 12_345_678 }],
      [{ login: true, password: true }],
      [{ login: null, password: null }],
      [{ login: 'ann', password: [PASSWORD] }],
      [{ login: 'ann', password: '\ud800 lone surrogate' }],
    ])('rejects %j: types are validated and not converted', async (body) => {
      const response = await login(body).expect(422);
      expect(response.body.data.error).toBe('validation_failed');
    });
  });
});
