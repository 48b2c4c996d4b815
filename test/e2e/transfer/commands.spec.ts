import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onServer } from '../../support/server-statements.cjs';
import { signIn } from '../../support/service-users.js';
import { builtProduct } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { codeBlocks, isAsShown, readPage, runBlocks } from '../../support/shell-page.js';
import { createDatabase } from '../../support/test-server.js';

jest.setTimeout(180_000);

/** In a clone, `npm run cli -- …` builds first. Here the product is already built. */
const NPM = `npm() { shift 3; node '${builtProduct()}/cli.js' "$@"; }`;
const BLOCKS = codeBlocks(readPage('guides/operating/moving-data.md'), 'sh');

describe('moving from the embedded database to a server', () => {
  const place = useServiceHome({ embedded: true, commandsInOneProcess: true });
  const boss = { email: 'boss@example.com', password: 'sturdy walnut 47' };
  let target: Awaited<ReturnType<typeof createDatabase>>;
  let file: string;
  const on = (url: string): Record<string, string> => ({ DATABASE_URL: url });
  const count = (table: string): Promise<object[]> =>
    onServer(target.address, `SELECT count(*)::int AS count FROM ${table}`);

  beforeAll(async () => {
    target = await createDatabase(true);
    file = join(place.home.directory, 'everything.ndjson.gz');
    await place.home.run(['admin:create', '--email', boss.email, '--password', boss.password]);
  });
  afterAll(() => target?.drop());

  it('works as documented', async () => {
    const env = { ...place.home.env, NEW_DATABASE_URL: target.address.url } as Record<string, string>;
    const [, ...ran] = await runBlocks([NPM, ...BLOCKS], env, place.home.directory);
    expect(ran).toHaveLength(2);
    for (const { printed, expected } of ran) {
      expect(expected).toHaveLength(1);
      expect({ printed, shown: isAsShown(printed[0] ?? '', expected[0]!) }).toMatchObject({ shown: true });
    }
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const service = await place.home.start({ env: on(target.address.url) });
    await signIn(service, boss);
    await service.stop();
  });

  it('works with pipes, too, and reports errors in one message', async () => {
    const { home } = place;
    const sentence = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await home.run(args, { env: on(target.address.url) });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      return stderr;
    };
    expect(await sentence('import', file)).toMatch(/^The database is not empty: \w+ has rows\. Import/);
    expect(await sentence('import', join(home.directory, 'none'))).toContain('cannot be read (ENOENT)');
    expect(await sentence('export', join(home.directory, 'none/none'))).toContain('cannot be written (ENOENT)');
    const broken = join(home.directory, 'broken');
    writeFileSync(broken, readFileSync(file).subarray(0, -100));
    expect(await sentence('import', broken, '--replace')).toContain('The export cannot be decompressed');
    const { code, stdout } = await home.run(['export', '-'], { program: 'cli.js' });
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('"lintel_export":1')]);
    const again = await home.run(['import', '-', '--replace'], { env: on(target.address.url), input: stdout });
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(home.directory, 'everything.ndjson.gz.part'))).toBe(false);
  });

  it('is all or nothing if it is killed', async () => {
    const { home } = place;
    const before = await count('users');
    const plain = gunzipSync(readFileSync(file));
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...home.env, ...on(target.address.url) };
    const command = spawn(process.execPath, [join(builtProduct(), 'cli.js'), 'import', '-', '--replace'], {
      env,
      cwd: home.directory,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise((resolve) => command.once('exit', resolve));
    command.stdin.on('error', () => undefined).write(plain.subarray(0, -200));
    await untilImporting();
    command.kill('SIGKILL');
    await ended;
    expect(await count('users')).toEqual(before);
    const service = await home.start({ env: on(target.address.url) });
    await signIn(service, boss);
    await service.stop();
  });

  /** Waits until the import has locked the tables that it replaces. */
  async function untilImporting(): Promise<void> {
    const sql = `SELECT count(*)::int AS count FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    for (;;) {
      const [row] = await onServer<{ count: number }>(target.address, sql);
      if ((row?.count ?? 0) > 5) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});
