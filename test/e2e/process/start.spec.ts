import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const BY_EMAIL = '{"providers":{"local":{"activation_method":"email"}}}';
/** Signs up once the service responds, and waits for the mail file that the service logs. */
const BUSY_READER = `
  until curl -sf -o /dev/null "$URL/readyz"; do sleep 0.1; done
  curl -sf -o /dev/null "$URL/api/auth/local/register" -H 'content-type: application/json' -d '{"email": "late@example.com",
    "password": "sturdy walnut 47", "password_confirmation": "sturdy walnut 47"}'
  until grep -qs late@example.com "$DATA_DIR"/mail/*.eml; do sleep 0.1; done
  sleep 0.5`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

describe('starting the service', () => {
  const world = useServiceHome({ embedded: 'new' });
  const person = newcomer();
  let token = '';
  let keyFile = '';

  beforeAll(() => {
    keyFile = join(world.home.dataDir, 'app.key');
  });

  it('has a program whose source is stored with one byte per character', () => {
    const program = join(__dirname, '../../../dist/program');
    const files = readdirSync(program).filter((name) => name.endsWith('.js'));
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((name) => /[\u0100-\uffff]/.test(readFileSync(join(program, name), 'utf8')))).toEqual([]);
  });

  it('prints URL, configuration, and how to create the first administrator on an empty machine', async () => {
    const service = await world.home.start();
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(service.stdout).toMatch(/^ {2}activation {2}auto$/m);
    expect(service.stdout).toMatch(/^ {2}sign-in {5}password$/m);
    expect(service.stdout).toContain('npm run cli -- admin:create --email you@example.com');
    expect(service.stdout).toContain(`\n    ${service.url}/dash/setup#token=`);
    expect(service.stderr).toBe('');
    expect((await service.get('/readyz')).status).toBe(200);
    await signUp(service, person);
    token = await signIn(service, person);
    expect((await service.get('/api/auth/me', token)).body).toMatchObject({ email: person.email, roles: ['user'] });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('stores its key readable by its owner only, without traces of its creation', () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readdirSync(world.home.dataDir).filter((name) => name.startsWith('app.key'))).toEqual(['app.key']);
  });

  it('finds accounts and tokens after a restart, and prints no set-up link', async () => {
    const service = await world.home.start({ env: { LOG_LEVEL: 'trace' } });
    expect((await service.get('/api/auth/me', token)).status).toBe(200);
    expect(service.stdout).not.toContain('"migrated"');
    const setupToken = /setup#token=(\S+)/.exec(service.stdout)?.[1] ?? '';
    const admin = newcomer();
    const body = { token: setupToken, email: admin.email, password: admin.password };
    const { status } = await service.post('/api/setup', { ...body, password_confirmation: admin.password });
    expect(status).toBeLessThan(300);
    await service.stop();
    expect(service.stdout.split(setupToken)).toHaveLength(2);
  });

  it('rejects tokens of another APP_KEY, and requests no administrator if there is one', async () => {
    const service = await world.home.start({ env: { APP_KEY: 'another key that is long enough to be one' } });
    expect((await service.get('/api/auth/me', token)).body).toMatchObject({ data: { error: 'token_invalid' } });
    expect((await service.get('/api/auth/me', await signIn(service, person))).status).toBe(200);
    expect(service.stdout).not.toContain('administrator');
    await service.stop();
  });

  it('prints its banner together with later log lines to a late reader', async () => {
    const port = await freePort();
    const service = world.home.spawn({ env: { PORT: String(port), AUTH: BY_EMAIL } });
    // No output is read until this returns, as on a busy machine.
    execFileSync('bash', ['-c', BUSY_READER], {
      env: { PATH: process.env['PATH'], URL: `http://127.0.0.1:${port}`, DATA_DIR: world.home.dataDir },
      timeout: 60_000,
    });
    await service.ready();
    expect(service.stdout).toMatch(/ is ready at [^]*\n\n(?:\{.*\n)*\{.*activation/);
    await service.stop();
  });

  it('reads a .env file of its working directory, overridden by the environment', async () => {
    const file = join(world.home.directory, '.env');
    writeFileSync(file, ['APP_NAME="Walnut & Co"', 'AUTH_OTP_ENABLED=true', 'LOG_LEVEL=loud', '# PORT=1'].join('\n'));
    const refused = world.home.spawn();
    expect((await refused.exit).code).toBe(1);
    expect(refused.stderr).toContain('LOG_LEVEL must be one of');
    const service = await world.home.start({ env: { LOG_LEVEL: 'warn' } });
    expect(service.stdout).toContain('Walnut & Co is ready');
    expect((await service.get('/api/auth/methods')).body).toEqual({ providers: [], local: true, otp: true });
    expect((await service.get('/api/auth/me', token)).status).toBe(200);
    await service.stop();
  });

  it('leaves no process', async () => {
    await world.home.databaseGone();
    expect(existsSync(join(world.home.dataDir, 'postgres/cluster/postmaster.pid'))).toBe(false);
  });
});
