import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { eventually } from '../../../packages/embedded-postgres/test/support/process-table.js';

jest.setTimeout(120_000);

const FLOOD = 64;
const ENV = { RATE_LIMIT_ENABLED: 'false', AUTH_REG_RESERVED_USERNAMES: 'admin' };
/** A plugin with an unhandled rejection, or with an exception in a timer. */
const CARELESS = `export default (app) => app.onPreUserRegister((input) => {
  if (input.email.startsWith('careless')) void Promise.reject(new Error('the careless plugin'));
  if (input.email.startsWith('reckless')) setTimeout(() => { throw new Error('the reckless plugin'); }, 0);
});`;

describe('the running service', () => {
  const world = useServiceHome({ embedded: true });

  /** The running service. Each test continues with the state that the previous test left. */
  let service: Service;

  beforeAll(async () => {
    const plugin = join(world.home.dataDir, 'plugins/careless');
    mkdirSync(plugin, { recursive: true });
    writeFileSync(join(plugin, 'plugin.js'), CARELESS);
    writeFileSync(join(plugin, 'package.json'), '{"type":"module"}');
    service = await world.home.start({ env: ENV });
  });

  it('rejects common passwords, and names similar to a reserved one', async () => {
    const messages = [{ password: 'baseball' }, { username: '\u0430dmin' }].map(async (part) => {
      const { email, password } = { ...newcomer(), ...part };
      const body = { email, password, password_confirmation: password, ...part };
      return (await service.post('/api/auth/local/register', body)).body['data'];
    });
    expect(await Promise.all(messages)).toMatchObject([
      { error: 'validation_failed', errors: [{ field: 'password', code: 'password_too_common' }] },
      { error: 'username_reserved' },
    ]);
  });

  it.each([
    ['a promise that was rejected unseen', 'careless', /"msg":"Unhandled promise rejection/],
    ['an uncaught exception', 'reckless', /"msg":"Uncaught exception/],
  ])('exits with 1 after %s, and logs the reason', async (_, name, message) => {
    const person = newcomer();
    await signUp(service, person);
    await signUp(service, { ...newcomer(), email: `${name}@example.com` }).catch(() => undefined);
    expect(await service.exit).toEqual({ code: 1, signal: null });
    expect(service.stdout).toMatch(message);
    expect(service.stdout).toContain(`${name} plugin`);
    expect(service.stderr).toBe('');
    service = await world.home.start({ env: ENV });
    await signIn(service, person);
  });

  it('finishes requests in flight before it exits after an unhandled rejection', async () => {
    const logins = Array.from({ length: 20 }, (_, index) =>
      service.post('/api/auth/local/login', { login: `nobody${index}@example.com`, password: 'wrong as can be' }),
    );
    expect((await service.get('/healthz')).status).toBe(200);
    const careless = signUp(service, { ...newcomer(), email: 'careless.too@example.com' });
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(Array<number>(20).fill(401));
    await careless;
    expect(await service.exit).toEqual({ code: 1, signal: null });
    service = await world.home.start({ env: ENV });
  });

  it('shares accounts and ended sessions between instances', async () => {
    const [first, second] = [service, await world.home.start({ env: ENV })];
    const person = newcomer();
    await signUp(first, person);
    const token = await signIn(second, person);
    expect((await first.get('/api/auth/me', token)).status).toBe(200);
    expect((await second.post('/api/auth/logout', {}, token)).status).toBe(200);
    expect((await second.get('/api/auth/me', token)).status).toBe(401);
    await eventually('the other hears of it', async () => (await first.get('/api/auth/me', token)).status === 401);
    expect(await first.stop()).toEqual({ code: 0, signal: null });
    await signIn(second, person);
    service = second;
  });

  it('responds to other requests during 64 wrong logins', async () => {
    let waiting = FLOOD;
    const logins = Array.from({ length: FLOOD }, async (_, index) => {
      const login = { login: `nobody${index}@example.com`, password: 'wrong as can be' };
      const { status } = await service.post('/api/auth/local/login', login);
      waiting -= 1;
      return status;
    });
    let probes = 0;
    const seenWaiting = new Set<number>();
    while (waiting > 0) {
      expect((await service.get('/api/auth/methods')).status).toBe(200);
      probes += 1;
      seenWaiting.add(waiting);
    }
    expect(await Promise.all(logins)).toEqual(Array<number>(FLOOD).fill(401));
    // Responses arrive between logins. If the probes were queued behind the hashes, two of them would span the flood.
    expect(probes).toBeGreaterThan(10);
    expect(seenWaiting.size).toBeGreaterThan(5);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await world.home.databaseGone();
  });
});
