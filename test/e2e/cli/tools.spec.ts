import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { useServiceHome } from '../../support/service-home.js';
import { builtProduct } from '../../support/service.js';

const ROOT = join(__dirname, '../../..');

jest.setTimeout(120_000);

interface Migration {
  readonly name: string;
  readonly applied: boolean;
}

describe('commands that need no running service', () => {
  const world = useServiceHome({ embedded: 'new', commandsInOneProcess: true });

  it('show every command, and the options of one', async () => {
    const { code, stdout } = await world.home.run(['--help']);
    expect(code).toBe(0);
    for (const name of ['admin:create', 'config:check', 'migrate:up', 'roles:seed', 'user:activate', 'user:deactivate'])
      expect(stdout).toContain(name);
    const one = await world.home.run(['roles:seed', '--help']);
    expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining('--dry-run'), stderr: '' });
  });

  it('are an executable program that prints its version', async () => {
    const [first] = readFileSync(join(ROOT, 'dist/src/cli.js'), 'utf8').split('\n');
    expect(first).toBe('#!/usr/bin/env node');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await world.home.run(['--version'], { program: 'cli.js' })).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
  });

  it('are bundled: only native code is looked up at the start', () => {
    const names = readdirSync(builtProduct()).filter((name) => name.endsWith('.js'));
    expect(names).toEqual(expect.arrayContaining(['cli.js', 'main.js']));
    const wanted = names.flatMap((name) =>
      [...readFileSync(join(builtProduct(), name), 'utf8').matchAll(/^\S.*\brequire\("([^"]+)"\)/gm)]
        .map(([, target]) => target!)
        .filter((target) => !target.startsWith('./') && !isBuiltin(target)),
    );
    expect([...new Set(wanted)]).toEqual(['@node-rs/argon2']);
    // A library may also load packages by its own `require`, so load every module except those that would run.
    const parts = names.filter((name) => !/^(run-.*|main|cli|load)\.js$/.test(name));
    const load = `const { load } = require('./load.js'); for (const name of ${JSON.stringify(parts)}) load(name);
      console.log(JSON.stringify(Object.keys(require.cache)))`;
    const loaded = execFileSync(process.execPath, ['--eval', load], { cwd: builtProduct(), encoding: 'utf8' });
    const packages = (JSON.parse(loaded) as string[]).flatMap(
      (file) => /node_modules.((?:@[^\\/]+.)?[^\\/]+)/.exec(file)?.[1] ?? [],
    );
    expect(packages.filter((name) => !name.startsWith('@node-rs'))).toEqual([]);
  });

  describe('config:check', () => {
    const SECRETS = {
      APP_KEY: 'sesame sesame sesame sesame sesame',
      MAIL_URL: 'smtp://me:sesame@mail.test',
      AUTH: JSON.stringify({
        enabled_providers: ['google'],
        providers: { google: { client_id: 'sesame', client_secret: 'sesame' } },
      }),
    };

    it('prints effective values with computed defaults, and no secret', async () => {
      const env = { ...SECRETS, PORT: '8123', AUTH_ENABLE_REFRESH_TOKEN: 'true' };
      const { code, stdout } = await world.home.run(['config:check', '--json'], { env });
      expect(code).toBe(0);
      const rows = JSON.parse(stdout) as { name: string; value: string; source: string }[];
      const row = (name: string): unknown => rows.find((entry) => entry.name === name);
      expect(row('PORT')).toEqual({ name: 'PORT', value: '8123', source: 'set' });
      expect(row('APP_URL')).toEqual({ name: 'APP_URL', value: 'http://localhost:8123', source: 'default' });
      expect(row('AUTH_ACCESS_TOKEN_LIFETIME')).toMatchObject({ value: '900', source: 'default' });
      expect(row('AUTH_OTP_LENGTH')).toEqual({ name: 'AUTH_OTP_LENGTH', value: '6', source: 'default' });
      for (const name of Object.keys(SECRETS)) expect(row(name)).toMatchObject({ value: '••••••••', source: 'set' });
      const text = await world.home.run(['config:check'], { env });
      expect(text.stdout).toMatch(/^PORT +8123 +set$/m);
      expect(stdout + text.stdout).not.toContain('sesame');
    });

    it('exits with 1 and all errors', async () => {
      const env = { ...SECRETS, PORT: '-1', MAIL_URL: 'smtp://me:sesame%@mail.test' };
      const { code, stdout, stderr } = await world.home.run(['config:check'], { env });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/PORT must[^]*MAIL_URL must/);
      expect(stderr).not.toContain('sesame');
    });

    it('changes nothing', () => expect(existsSync(world.home.dataDir)).toBe(false));
  });

  describe('migrate:…', () => {
    let names: string[] = [];

    it('lists pending migrations, and reports them by its exit code', async () => {
      const { code, stdout } = await world.home.run(['migrate:status', '--json']);
      expect(code).toBe(1);
      const { migrations } = JSON.parse(stdout) as { migrations: Migration[] };
      names = migrations.map(({ name }) => name);
      expect(names.length).toBeGreaterThan(3);
      expect(migrations.every(({ applied }) => !applied)).toBe(true);
    });

    it('applies all, once', async () => {
      expect(await world.home.json('migrate:up')).toEqual({ applied: names });
      expect((await world.home.run(['migrate:up'])).stdout).toBe('Nothing to apply.\n');
      expect((await world.home.run(['migrate:status'])).code).toBe(0);
    });

    it('reverts the newest, and applies it again', async () => {
      const newest = names.at(-1);
      expect(await world.home.run(['migrate:down'])).toMatchObject({ code: 0, stdout: `Reverted ${newest}.\n` });
      const { code, stdout } = await world.home.run(['migrate:status']);
      expect(code).toBe(1);
      expect(stdout).toMatch(new RegExp(`^${newest} +pending$`, 'm'));
      expect(await world.home.json('migrate:up')).toEqual({ applied: [newest] });
    });

    it('leaves no process', () => world.home.databaseGone());
  });

  it('report an unreachable database in one line, and exit with 1', async () => {
    const env = { DATABASE_URL: 'postgres://lintel:sesame@127.0.0.1:1/lintel' };
    const { code, stderr } = await world.home.run(['migrate:status'], { env });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'The database cannot be reached: ECONNREFUSED. Check DATABASE_URL, or unset it to use the embedded database.\n',
    );
  });
});
