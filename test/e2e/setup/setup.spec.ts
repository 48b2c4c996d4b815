import { SetupService } from '../../../src/edge/setup/setup.service.js';
import { startupBanner } from '../../../src/bootstrap/startup-banner.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const FEDERATED_ONLY = {
  AUTH_DISABLE_LOCAL_LOGIN: 'true',
  AUTH: JSON.stringify({
    enabled_providers: ['acme'],
    providers: { acme: { client_id: 'x', client_secret: 'y', issuer: 'http://127.0.0.1:1' } },
  }),
};
const FIELDS = { email: 'Root@example.com', username: 'root', password: PASSWORD, password_confirmation: PASSWORD };

describe('POST /api/setup', () => {
  const world = useTestApp();
  const setUp = (body: unknown) => world.app.asGuest().post('/api/setup', body);
  const issue = async (): Promise<string> => (await world.app.get(SetupService).issueToken()) ?? '';
  const accounts = () => world.app.sql<{ email: string }>('SELECT email FROM users');

  beforeEach(() => world.app.sql('DELETE FROM users'));

  describe('201', () => {
    it('creates an active administrator with a verified address', async () => {
      const { body, headers } = await setUp({ ...FIELDS, token: await issue() }).expect(201);
      expect(Object.keys(body)).toEqual(['message']);
      expect(headers['cache-control']).toBe('no-store');
      const signedIn = await world.app
        .asGuest()
        .post('/api/auth/local/login', { login: 'root', password: PASSWORD })
        .expect(200);
      const { body: me } = await world.app
        .as(signedIn.body.token as string)
        .get('/api/auth/me')
        .expect(200);
      expect(me).toMatchObject({ email: 'Root@example.com', username: 'root', activated: true, provider: 'local' });
      expect(me.roles).toEqual(['admin', 'user']);
      const [row] = await world.app.sql('SELECT email_verified_at FROM users');
      expect(row?.['email_verified_at']).not.toBeNull();
      expect(await world.app.sql('SELECT * FROM setup_tokens')).toEqual([]);
    });

    it('does not need a user name', async () => {
      const { username: _, ...fields } = FIELDS;
      await setUp({ ...fields, token: await issue() }).expect(201);
    });

    it('creates one administrator for sixteen concurrent requests', async () => {
      const token = await issue();
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, n) =>
          setUp({ ...FIELDS, token, email: `root${n}@example.com`, username: `root${n}` }),
        ),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
        expect([status, body.data.error]).toEqual([403, 'setup_completed']);
      }
      expect(await accounts()).toHaveLength(1);
    });

    it('keeps the token valid if the account cannot be created', async () => {
      await createPerson(world.app, { email: FIELDS.email });
      const token = await issue();
      const { body } = await setUp({ ...FIELDS, token }).expect(400);
      expect(body.data.error).toBe('email_taken');
      await setUp({ ...FIELDS, token, email: 'other@example.com' }).expect(201);
    });
  });

  describe('GET /api/setup', () => {
    const state = async (): Promise<unknown> => (await world.app.asGuest().get('/api/setup').expect(200)).body;

    it('reports whether there is an active administrator, and nothing else', async () => {
      expect(await state()).toEqual({ data: { completed: false } });
      await createPerson(world.app);
      await createPerson(world.app, { roles: ['admin'], activated: false });
      expect(await state()).toEqual({ data: { completed: false } });
      await setUp({ ...FIELDS, token: await issue() }).expect(201);
      expect(await state()).toEqual({ data: { completed: true } });
    });
  });

  describe('errors', () => {
    it('rejects a wrong token, that of an earlier start, and a stored hash', async () => {
      const earlier = await issue();
      const token = await issue();
      const [row] = await world.app.sql<{ token_hash: string }>('SELECT token_hash FROM setup_tokens');
      expect(row?.token_hash).not.toBe(token);
      for (const wrong of ['x', earlier, `${token} `, token.toLowerCase(), row?.token_hash]) {
        const { body } = await setUp({ ...FIELDS, token: wrong }).expect(400);
        expect(body.data.error).toBe('setup_token_invalid');
      }
      expect(await accounts()).toEqual([]);
      await setUp({ ...FIELDS, token }).expect(201);
    });

    it('rejects a valid token once there is an administrator, however created', async () => {
      const token = await issue();
      await createPerson(world.app, { roles: ['admin'] });
      for (const tried of [token, 'x']) {
        const { body } = await setUp({ ...FIELDS, token: tried }).expect(403);
        expect(body.data.error).toBe('setup_completed');
      }
      expect(await world.app.get(SetupService).issueToken()).toBeNull();
      expect(await accounts()).toHaveLength(1);
    });

    it('does not count a deactivated administrator', async () => {
      await createPerson(world.app, { roles: ['admin'], activated: false });
      await setUp({ ...FIELDS, token: await issue() }).expect(201);
    });

    it('reports all missing and malformed fields', async () => {
      const { body } = await setUp({}).expect(422);
      expect(body.data.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
        'email',
        'password',
        'password_confirmation',
        'token',
      ]);
      const token = await issue();
      for (const value of [null, 1, [token], { token }, '']) {
        await setUp({ ...FIELDS, token: value }).expect(422);
      }
      await setUp({ ...FIELDS, token, password: 'short', password_confirmation: 'short' }).expect(422);
      const { body: differ } = await setUp({ ...FIELDS, token, password_confirmation: 'other' }).expect(400);
      expect(differ.data.error).toBe('password_mismatch');
      expect(await accounts()).toEqual([]);
    });

    it('rejects roles and unknown fields', async () => {
      const extra = { id: 'x', roles: ['guest'], activated: false, provider: 'acme', passwordHash: 'x' };
      const { status } = await setUp({ ...FIELDS, ...extra, token: await issue() });
      expect([201, 422]).toContain(status);
      if (status === 201) {
        const [row] = await world.app.sql('SELECT provider, activated FROM users');
        expect(row).toEqual({ provider: 'local', activated: true });
      }
    });
  });

  describe('the start', () => {
    it('prints the set-up URL, and nothing once there is an administrator', async () => {
      const banner = await startupBanner(world.app.nest, world.app.config);
      const [, token] = /http:\/\/lintel\.test\/dash\/setup#token=([\w-]{43})\n/.exec(banner) ?? [];
      await setUp({ ...FIELDS, token }).expect(201);
      const later = await startupBanner(world.app.nest, world.app.config);
      expect(later).not.toContain('setup');
      expect(later).not.toContain('administrator');
    });

    it('invalidates the token of an earlier start, also if there was an administrator meanwhile', async () => {
      const token = await issue();
      const { id } = await createPerson(world.app, { roles: ['admin'] });
      await startupBanner(world.app.nest, world.app.config);
      await world.app.sql('UPDATE users SET activated = false WHERE id = $1', [id]);
      const { body } = await setUp({ ...FIELDS, token }).expect(400);
      expect(body.data.error).toBe('setup_token_invalid');
    });

    it('does not log the token', async () => {
      const token = await issue();
      await setUp({ ...FIELDS, token: `${token}x` }).expect(400);
      await setUp({ ...FIELDS, token }).expect(201);
      expect(world.app.log.join('\n')).not.toContain(token);
    });
  });
});

describe('POST /api/setup in federated-only mode', () => {
  const world = useTestApp({ env: FEDERATED_ONLY });

  it('is not available, and no token is created', async () => {
    const { body } = await world.app.asGuest().post('/api/setup', FIELDS).expect(404);
    await world.app.asGuest().get('/api/setup').expect(404);
    expect(body.data.error).toBe('route_not_found');
    expect(await startupBanner(world.app.nest, world.app.config)).toContain('AUTH_ADMIN_EMAILS');
    expect(await world.app.sql('SELECT * FROM setup_tokens')).toEqual([]);
  });
});
