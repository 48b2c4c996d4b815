import { until } from '../../support/mailbox.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

/** Time within which a service knows the changes of another process. */
const PROMISED_MS = 1_000;
const NEW_PASSWORD = 'pebble orchard 12';

describe('account commands beside a running service', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  const person = newcomer();
  let service: Service;
  let invitedId: string;

  beforeAll(async () => {
    service = await world.home.start({ env: { RATE_LIMIT_ENABLED: 'false' } });
    await signUp(service, person);
  });

  const statusOfMe = async (token: string): Promise<number> => (await service.get('/api/auth/me', token)).status;

  /** Returns 200, or the error. */
  async function trySignIn(login: string, password: string): Promise<unknown> {
    const { status, body } = await service.post('/api/auth/local/login', { login, password });
    return status === 200 ? 200 : (body['data'] as { error: string }).error;
  }

  describe('admin:create', () => {
    it('creates an administrator who can sign in immediately', async () => {
      const args = ['admin:create', '--email', 'boss@example.com', '--username', 'boss', '--password', NEW_PASSWORD];
      const { code, stdout, stderr } = await world.home.run(args);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: 'boss@example.com is an administrator.\n',
        stderr: '',
      });
      const token = await signIn(service, { email: 'boss@example.com', password: NEW_PASSWORD });
      const { body } = await service.get('/api/auth/me', token);
      expect(body).toMatchObject({ login: 'boss', activated: true, roles: ['admin', 'user'] });
    });

    it('reads the password byte for byte from the first line of standard input', async () => {
      const password = ' spaces at both ends ✓ ';
      const args = ['admin:create', '--email', 'second@example.com', '--json'];
      const { code, stdout } = await world.home.run(args, { input: `${password}\nand nothing of this` });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ id: expect.any(String), email: 'second@example.com', username: null });
      expect(await trySignIn('second@example.com', password)).toBe(200);
      expect(await trySignIn('second@example.com', password.trim())).toBe('invalid_credentials');
    });

    it.each([
      ['a password that is too common', ['--password', 'password123'], 'among the most common passwords'],
      ['a password that is too short', ['--password', 'walnut'], 'at least 8 characters'],
      ['an empty password', ['--password', ''], 'is required'],
      ['a list of addresses', ['--email', 'a@example.com,b@example.com', '--password', NEW_PASSWORD], 'must be one'],
      ['a username like an address', ['--username', 'x@example.com', '--password', NEW_PASSWORD], '--username'],
    ])('rejects %s', async (_, more, reason) => {
      const { code, stdout, stderr } = await world.home.run(['admin:create', '--email', 'third@example.com', ...more]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(reason);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(await trySignIn('third@example.com', NEW_PASSWORD)).toBe('invalid_credentials');
    });

    it('rejects a taken address in any case, and keeps its account', async () => {
      const args = ['admin:create', '--email', person.email.toUpperCase(), '--password', NEW_PASSWORD];
      const { code, stderr } = await world.home.run(args);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'This e-mail address is already in use.\n' });
      const { body } = await service.get('/api/auth/me', await signIn(service, person));
      expect(body).toMatchObject({ email: person.email, roles: ['user'] });
    });

    it('does not wait for a missing password', async () => {
      const { code, stderr } = await world.home.run(['admin:create', '--email', 'third@example.com'], { input: '' });
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'No password was given.\n' });
    });

    it('exits with code 2 without an address', async () => {
      const { code, stderr } = await world.home.run(['admin:create', '--password', NEW_PASSWORD]);
      expect(code).toBe(2);
      expect(stderr).toContain('--email');
    });
  });

  describe('user:…', () => {
    it('deactivates an account: its sessions end within a second, and it cannot sign in', async () => {
      const tokens = [await signIn(service, person), await signIn(service, person)];
      expect(await Promise.all(tokens.map(statusOfMe))).toEqual([200, 200]);
      const { code, stdout } = await world.home.run(['user:deactivate', person.email]);
      for (const token of tokens)
        await until(async () => (await statusOfMe(token)) === 401, 'the end of a session', PROMISED_MS);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${person.email} is now inactive.\n` });
      expect(await trySignIn(person.email, person.password)).toBe('account_inactive');
      expect((await world.home.run(['user:deactivate', person.email])).stdout).toContain('was already inactive');
    });

    it('activates an account, and its old sessions stay revoked', async () => {
      const { code, stdout } = await world.home.run(['user:activate', person.email.toUpperCase()]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${person.email.toUpperCase()} is now active.\n` });
      expect(await trySignIn(person.email, person.password)).toBe(200);
    });

    it('sets a password: the old one and all sessions are revoked', async () => {
      const token = await signIn(service, person);
      const { code, stdout } = await world.home.run(['user:reset-password', person.email, '--json'], {
        input: `${NEW_PASSWORD}\r\n`,
      });
      await until(async () => (await statusOfMe(token)) === 401, 'the end of the session', PROMISED_MS);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ id: expect.any(String), result: 'has a new password' });
      expect(await trySignIn(person.email, person.password)).toBe('invalid_credentials');
      expect(await trySignIn(person.email, NEW_PASSWORD)).toBe(200);
    });

    it('invites a user by a mailed link, and again by another', async () => {
      const args = ['user:invite', '--email', 'guest@example.com', '--username', 'guest.of.honour', '--role', 'user'];
      const { code, stdout, stderr } = await world.home.run(args);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'guest@example.com was invited.\n', stderr: '' });
      expect(await trySignIn('guest@example.com', NEW_PASSWORD)).toBe('invalid_credentials');
      const again = await world.home.run(['user:invite', '--email', 'guest@example.com', '--json']);
      expect(JSON.parse(again.stdout)).toEqual({ id: expect.any(String), email: 'guest@example.com' });
      invitedId = (JSON.parse(again.stdout) as { id: string }).id;
      for (const [more, reason] of [
        [['--email', person.email], 'is not what the field asks for'],
        [['--email', 'no address'], ''],
        [['--email', 'other@example.com', '--role', 'nobody'], 'The role "nobody" does not exist.'],
      ] as const) {
        const refused = await world.home.run(['user:invite', ...more]);
        expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
        expect(refused.stderr).toContain(reason === 'is not what the field asks for' ? '' : reason);
      }
    });

    it('are audited as actions of the operator', async () => {
      const token = await signIn(service, { email: 'boss@example.com', password: NEW_PASSWORD });
      const { body } = await service.get<{ data: { items: { action: string; actor: string }[] } }>(
        '/api/audit?actor=operator&limit=200',
        token,
      );
      const done = ['account.create', 'account.deactivate', 'account.activate', 'account.password'];
      expect(body.data.items.map(({ action }) => action)).toEqual(expect.arrayContaining(done));
      const invited = await service.get<typeof body>(`/api/audit?resource=user:${invitedId}&limit=200`, token);
      // `guest` is the actor of the sign-in attempts before there was a password.
      expect(new Set(invited.body.data.items.map(({ actor }) => actor))).toEqual(new Set(['operator', 'guest']));
    });

    it('reports a missing account', async () => {
      const { code, stderr } = await world.home.run(['user:deactivate', 'nobody@example.com']);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'The account "nobody@example.com" does not exist.\n' });
    });
  });

  describe('keys:… and service-account:…', () => {
    interface Told {
      readonly id: string;
      readonly key: string;
      readonly prefix: string;
      readonly expires_at: string | null;
      readonly owner: { readonly id: string; readonly kind: string; readonly name: string };
    }
    /** Returns 401 for an invalid key, and 403 if its owner may not list accounts. */
    const statusOf = async (key: string): Promise<number> =>
      (await service.get('/api/content/users?limit=1', key)).status;
    const listed = async (...more: string[]): Promise<Told[]> =>
      (await world.home.json<{ keys: Told[] }>('keys:list', ...more)).keys;

    it('creates a key of a user, shown once, and later lists its prefix', async () => {
      await world.home.run(['user:activate', person.email]);
      const { code, stdout } = await world.home.run(['keys:create', person.email, '--name', 'nightly', '--days', '30']);
      expect(code).toBe(0);
      const [key = ''] = stdout.split('\n');
      expect(stdout).toMatch(/^lin_pat_[0-9A-Za-z]{36}\nIt expires on \d{4}-\d\d-\d\d\. It is not shown again\.\n$/);
      const [row] = await listed('--owner', person.email);
      expect(row).toMatchObject({
        prefix: key.slice(0, 12),
        last_used_at: null,
        owner: { kind: 'person', name: person.email },
      });
      expect(await statusOf(key)).toBe(403);
      const text = await world.home.run(['keys:list', '--state', 'active', '--kind', 'person']);
      expect(text.stdout).toContain(key.slice(0, 12));
      for (const shown of [text.stdout, JSON.stringify(row)]) expect(shown).not.toContain(key.slice(12));
      expect(await listed('--state', 'expired')).toEqual([]);
    });

    it('replaces it, and revokes both within a second', async () => {
      const [{ id }] = (await listed('--owner', person.email)) as [Told];
      const next = await world.home.json<Told>('keys:replace', id, '--overlap-hours', '1');
      expect(await statusOf(next.key)).toBe(403);
      expect(await listed('--owner', person.email)).toHaveLength(2);
      expect((await world.home.run(['keys:replace', id])).stderr).toBe('This key was already replaced.\n');
      for (const one of [id, next.id])
        expect(await world.home.run(['keys:end', one])).toMatchObject({
          code: 0,
          stdout: `The key ${one} was revoked.\n`,
        });
      await until(async () => (await statusOf(next.key)) === 401, 'the end of the key', PROMISED_MS);
      expect((await world.home.run(['keys:end', id])).code).toBe(1);
      expect(await listed('--owner', person.email)).toEqual([]);
    });

    it('creates a service account with a permanent, scoped key, and deletes both', async () => {
      const made = await world.home.json<{ id: string; name: string; roles: string[] }>(
        'service-account:create',
        'warehouse',
        '--role',
        'admin',
      );
      expect(made).toMatchObject({ name: 'warehouse', roles: ['admin'] });
      expect((await world.home.run(['service-account:list'])).stdout).toContain(made.id);
      const scope = ['--scope', 'content.user.list', 'content.role.list'];
      const create = ['keys:create', 'warehouse', '--name', 'server', ...scope, '--forever'];
      const key = await world.home.json<Told>(...create);
      expect(key).toMatchObject({ key: expect.stringMatching(/^lin_svc_/), expires_at: null });
      expect(await statusOf(key.key)).toBe(200);
      expect((await service.get('/api/schema', key.key)).status).toBe(403);
      expect(await listed('--kind', 'service')).toMatchObject([
        { id: key.id, owner: { id: made.id, name: 'warehouse' } },
      ]);
      expect((await world.home.run(['service-account:remove', made.id])).code).toBe(0);
      await until(async () => (await statusOf(key.key)) === 401, 'the end of the key', PROMISED_MS);
      expect(await listed('--kind', 'service')).toEqual([]);
      expect((await world.home.run(['service-account:list'])).stdout).toBe('No service accounts found.\n');
    });

    it.each([
      [['keys:create', 'nobody@example.com', '--name', 'x'], 1, 'The account "nobody@example.com" does not exist.'],
      [['keys:create', 'PERSON', '--name', ''], 1, '--name is required.'],
      [['keys:create', 'PERSON', '--name', 'x', '--forever'], 1, '--days is required for a key of a user.'],
      [['keys:create', 'PERSON', '--name', 'x', '--forever', '--days', '3'], 1, 'Use either --forever or --days.'],
      [['keys:create', 'PERSON', '--name', 'x', '--scope', 'content.*', 'no scope'], 1, '--scope number 2 '],
      [['keys:create', 'PERSON', '--name', 'x', '--address', 'localhost'], 1, '--address number 1 must be an address'],
      [['keys:create', 'PERSON'], 2, '--name'],
      [['keys:create', 'PERSON', '--name', 'x', '--days', '0'], 2, 'whole number from 1 to 3650'],
      [['keys:list', '--kind', 'robot'], 2, 'person, service'],
      [['keys:list', '--owner', 'nobody'], 1, 'The account "nobody" does not exist.'],
      [['keys:end', 'x'], 1, 'API key not found, or it was revoked.'],
      [['keys:rotate', '01900000-0000-7000-8000-000000000000'], 2, 'too many arguments'],
      [['service-account:create', 'x', '--role', 'no such'], 1, '--role is not a role.'],
      [['service-account:remove', '01900000-0000-7000-8000-000000000000'], 1, 'Service account not found.'],
    ])('rejects %j with code %i', async (args, code, reason) => {
      const filledArgs = args.map((word) => (word === 'PERSON' ? person.email : word));
      const { stderr, stdout, ...ended } = await world.home.run(filledArgs);
      expect({ ...ended, stdout }).toEqual({ code, stdout: '' });
      expect(stderr).toContain(reason);
    });

    it('creates nothing of what it rejected', async () => {
      expect(await listed()).toEqual([]);
      expect((await world.home.run(['service-account:list'])).stdout).toBe('No service accounts found.\n');
    });
  });
});
