import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Environment } from '../../../src/platform/config/parse-config.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

describe('errors at the start', () => {
  const world = useServiceHome({ embedded: 'new' });
  const listeners: Server[] = [];

  afterAll(() => listeners.forEach((server) => server.close()));

  /** Returns the port of a loopback server that accepts connections and sends nothing. */
  async function silentPort(): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => undefined));
    listeners.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('lists the errors of all variables, without using the data directory or showing a secret', async () => {
    const service = world.home.spawn({
      env: {
        PORT: 'eight',
        APP_KEY: 'short-sesame',
        DATABASE_URL: 'mysql://root:sesame@localhost/x',
        MAIL_URL: 'smtp://me:sesame@mail.test?colour=red',
        RATE_LIMIT_ENABLED: 'maybe',
        AUTH: JSON.stringify({
          enabled_providers: ['acme', 'nowhere'],
          providers: { acme: { client_id: 'x', client_secret: 'sesame', issuer: 'https://acme.test', colour: 'red' } },
          cli_login: { enabled: 'yes' },
        }),
      },
    });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    const faults = service.stderr.split('\n').filter((line) => line.startsWith('  - '));
    expect(faults.map((line) => /^ {2}- (\S+)/.exec(line)?.[1])).toEqual([
      'PORT',
      'APP_KEY',
      'DATABASE_URL',
      'RATE_LIMIT_ENABLED',
      'AUTH.cli_login.enabled',
      'MAIL_URL',
      'AUTH.enabled_providers',
      'AUTH.providers.acme.colour',
    ]);
    expect(service.stdout + service.stderr).not.toMatch(/sesame|\bat .*\.js/);
    expect(existsSync(world.home.dataDir)).toBe(false);
  });

  it('requires APP_KEY in production, and creates none', async () => {
    const service = world.home.spawn({ env: { NODE_ENV: 'production' } });
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toBe('The configuration is not valid:\n  - APP_KEY must be set in production\n');
    expect(existsSync(world.home.dataDir)).toBe(false);
  });

  it.each([
    ['has a closed port', async () => `postgres://lintel:sesame@127.0.0.1:${await closedPort()}/lintel`],
    [
      'has a server that does not respond',
      async () => `postgres://lintel:sesame@127.0.0.1:${await silentPort()}/lintel`,
    ],
    ['has an unknown host', () => Promise.resolve('postgres://lintel:sesame@no-such-host.invalid/lintel')],
    ['is not a valid URL', () => Promise.resolve('postgres://lintel:sesame%@127.0.0.1/lintel')],
  ])('reports that DATABASE_URL %s, and exits', async (_, url) => {
    const service = world.home.spawn({ env: { DATABASE_URL: await url() } });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    expect(service.stderr).toMatch(/DATABASE_URL/);
    expect(service.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(service.stdout + service.stderr).not.toContain('sesame');
  });

  async function closedPort(): Promise<number> {
    const port = await silentPort();
    listeners.pop()?.close();
    return port;
  }

  it('names an invalid data directory', async () => {
    const file = join(world.home.directory, 'a-file');
    writeFileSync(file, '');
    const service = world.home.spawn({ env: { DATA_DIR: file } });
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toBe(
      `The configuration is not valid:\n  - DATA_DIR must be a writable directory, and ${file} is not (EEXIST)\n`,
    );
  });

  it.each([
    ['without APP_KEY', '/proc/lintel', {}],
    ['with APP_KEY', '/proc/lintel/deeper', { APP_KEY: 'a key of thirty-two bytes or more' }],
    ['of a process', '/proc/self/fd/lintel/data', {}],
  ])('exits within five seconds with a data directory on a virtual file system %s', async (_, place, env) => {
    const service = world.home.spawn({ env: { ...env, DATA_DIR: place } });
    const late = setTimeout(() => service.signal('SIGKILL'), 30_000);
    const began = performance.now();
    expect(await service.exit).toEqual({ code: 1, signal: null });
    clearTimeout(late);
    expect(service.stderr).toContain(place);
    expect(service.stderr).not.toMatch(/^\s+at /m);
    // Most of this time is the start of the process on a busy machine.
    expect(performance.now() - began).toBeLessThan(25_000);
  });

  it.each<[string, Environment, RegExp]>([
    ['a port that is used', {}, /cannot listen on/],
    ['a port for metrics that is used', { METRICS_PORT: 'used' }, /\/metrics cannot listen/],
    [
      'a certificate that is missing',
      { DATABASE_URL: 'postgres://one/x?sslmode=verify-full&sslrootcert=/no/ca.pem' },
      /ca\.pem/,
    ],
    ['a schema file that is no JSON', { file: '{' }, /not well-formed JSON/],
  ])('names %s before the database starts', async (what, env, reason) => {
    const used = String(await silentPort());
    const dataDir = join(world.home.directory, `fresh ${what}`);
    const { file, ...rest } = env;
    if (file !== undefined) {
      mkdirSync(join(dataDir, 'schemas'), { recursive: true });
      writeFileSync(join(dataDir, 'schemas/broken.json'), file);
    }
    const ports = rest['METRICS_PORT'] === 'used' ? { METRICS_PORT: used } : file === undefined ? { PORT: used } : {};
    const service = world.home.spawn({ env: { ...rest, ...ports, DATA_DIR: dataDir, LOG_LEVL: 'debug' } });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    expect(service.stderr).toMatch(reason);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    if (rest['DATABASE_URL'] === undefined)
      expect(service.stdout).toContain('Unknown variable LOG_LEVL. Did you mean LOG_LEVEL?');
  });

  it('reports a port in use, and does not affect a service with the same data', async () => {
    const first = await world.home.start();
    const person = newcomer();
    await signUp(first, person);
    const second = world.home.spawn({ env: { PORT: new URL(first.url).port } });
    expect(await second.exit).toEqual({ code: 1, signal: null });
    expect(second.stderr).toMatch(/^The service cannot listen on 127\.0\.0\.1, port \d+: the port is already in use/);
    await signIn(first, person);
    await first.stop();
    await world.home.databaseGone();
  });

  it('reports an address of another machine', async () => {
    const service = world.home.spawn({ env: { HOST: '192.0.2.1' } });
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toContain('this machine does not have this address');
  });

  it('names a plugin that cannot be loaded, in one line', async () => {
    mkdirSync(join(world.home.dataDir, 'plugins/broken'), { recursive: true });
    const service = world.home.spawn();
    expect((await service.exit).code).toBe(1);
    expect(service.stderr).toBe('The plugin plugins/broken/plugin.js cannot be loaded: the file does not exist.\n');
    await world.home.databaseGone();
  });
});
