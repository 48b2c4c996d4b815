import { newcomer, signIn, signUp } from '../../support/service-people.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const NEW_PASSWORD = 'pebble orchard 12';

describe('commands for accounts, beside a running service', () => {
  const world = useServiceHome({ commandsInOneProcess: true });
  const person = newcomer();
  let service: Service;

  beforeAll(async () => {
    service = await world.home.start({ env: { RATE_LIMIT_ENABLED: 'false' } });
    await signUp(service, person);
  });

  const statusOfMe = async (token: string): Promise<number> => (await service.get('/api/auth/me', token)).status;

  /** What a sign-in answers: 200, or the error. */
  async function trySignIn(login: string, password: string): Promise<unknown> {
    const { status, body } = await service.post('/api/auth/local/login', { login, password });
    return status === 200 ? 200 : (body['data'] as { error: string }).error;
  }

  describe('admin:create', () => {
    it('makes an administrator who can sign in at once', async () => {
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

    it('takes the password byte for byte from standard input, its first line', async () => {
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
    ])('refuses %s', async (_, more, reason) => {
      const { code, stdout, stderr } = await world.home.run(['admin:create', '--email', 'third@example.com', ...more]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(reason);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(await trySignIn('third@example.com', NEW_PASSWORD)).toBe('invalid_credentials');
    });

    it('refuses an address that is taken, in other letters too, and leaves its account as it was', async () => {
      const args = ['admin:create', '--email', person.email.toUpperCase(), '--password', NEW_PASSWORD];
      const { code, stderr } = await world.home.run(args);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'This e-mail address is already in use.\n' });
      const { body } = await service.get('/api/auth/me', await signIn(service, person));
      expect(body).toMatchObject({ email: person.email, roles: ['user'] });
    });

    it('does not wait for a password that nobody gives', async () => {
      const { code, stderr } = await world.home.run(['admin:create', '--email', 'third@example.com'], { input: '' });
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'No password was given.\n' });
    });

    it('says with code 2 that the address is missing', async () => {
      const { code, stderr } = await world.home.run(['admin:create', '--password', NEW_PASSWORD]);
      expect(code).toBe(2);
      expect(stderr).toContain('--email');
    });
  });

  describe('user:…', () => {
    it('shuts an account out: its sessions end by the next request, and it cannot sign in', async () => {
      const tokens = [await signIn(service, person), await signIn(service, person)];
      expect(await Promise.all(tokens.map(statusOfMe))).toEqual([200, 200]);
      const { code, stdout } = await world.home.run(['user:deactivate', person.email]);
      expect(await Promise.all(tokens.map(statusOfMe))).toEqual([401, 401]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${person.email} is inactive now.\n` });
      expect(await trySignIn(person.email, person.password)).toBe('account_inactive');
      expect((await world.home.run(['user:deactivate', person.email])).stdout).toContain('was inactive already');
    });

    it('lets an account in again, and its old sessions stay ended', async () => {
      const { code, stdout } = await world.home.run(['user:activate', person.email.toUpperCase()]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${person.email.toUpperCase()} is active now.\n` });
      expect(await trySignIn(person.email, person.password)).toBe(200);
    });

    it('sets a password: the old one and all sessions end', async () => {
      const token = await signIn(service, person);
      const { code, stdout } = await world.home.run(['user:reset-password', person.email, '--json'], {
        input: `${NEW_PASSWORD}\r\n`,
      });
      expect(await statusOfMe(token)).toBe(401);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({ id: expect.any(String), result: 'has a new password' });
      expect(await trySignIn(person.email, person.password)).toBe('invalid_credentials');
      expect(await trySignIn(person.email, NEW_PASSWORD)).toBe(200);
    });

    it('says that there is no such account', async () => {
      const { code, stderr } = await world.home.run(['user:deactivate', 'nobody@example.com']);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no account "nobody@example.com".\n' });
    });
  });
});
