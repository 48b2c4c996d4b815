import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../support/mailbox.js';
import { builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import { codeBlocks, isAsShown, readPage, runBlocks } from '../../support/shell-page.js';

jest.setTimeout(300_000);

/** Always the embedded database, even if the tests have a server: only it has backups. */
const EMBEDDED = { DATABASE_URL: '', RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'info' };
/** Pause between two registrations of a writer, so that the backup gets processor time, too. */
const PAUSE_MS = 50;
const ENV = { ...EMBEDDED, BACKUP_SCHEDULE: '1d' };
/** In a clone, `npm run cli -- …` builds first. Here the product is already built. */
const NPM = `npm() { shift 3; node '${builtProduct()}/cli.js' "$@"; }`;

/** Blocks of the page: a backup with its verification, and a restore. */
const [BACK_UP = '', RESTORE = ''] = codeBlocks(readPage('guides/operating/backups.md'), 'sh');

interface Overview {
  readonly requested: boolean;
  readonly items: readonly { readonly id: string; readonly ended_at: string }[];
}

class Load {
  readonly statuses: number[] = [];
  private running = true;
  private readonly writers: Promise<void>[];

  constructor(private readonly service: Service) {
    this.writers = [1, 2].map(() => this.write());
  }

  async stop(): Promise<Record<string, number>> {
    this.running = false;
    await Promise.all(this.writers);
    const counts: Record<string, number> = {};
    for (const status of this.statuses) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  private async write(): Promise<void> {
    while (this.running) {
      const { email, password } = newcomer();
      const body = { email, password, password_confirmation: password };
      this.statuses.push((await this.service.post('/api/auth/local/register', body)).status);
      await delay(PAUSE_MS);
    }
  }
}

describe('backup and restore of the embedded database', () => {
  const place = useServiceHome({ embedded: true, commandsInOneProcess: true });
  const boss = { email: 'boss@example.com', password: 'sturdy walnut 47' };
  const [before, after] = [newcomer(), newcomer()];
  let moment: string;
  let lasting: string;
  let ended: string;
  let key: string;

  const runPage = async (block: string, env: Record<string, string> = {}): Promise<void> => {
    const all = { ...place.home.env, ...ENV, ...env } as Record<string, string>;
    const [, ran] = await runBlocks([NPM, block], all, place.home.directory);
    expect(ran!.expected.length).toBeGreaterThan(0);
    for (const [at, line] of ran!.expected.entries())
      expect({ line, shown: isAsShown(ran!.printed[at] ?? '', line), printed: ran!.printed }).toMatchObject({
        shown: true,
      });
  };
  /** Requests backups over HTTP: 16 concurrent requests result in one backup. The audit log names its user, and no path is reported. */
  const backUpFromAfar = async (service: Service): Promise<void> => {
    const token = await signIn(service, boss);
    const overview = async () => {
      const { status: answered, body } = await service.get<{ data: Overview }>('/api/backups', token);
      expect(answered).toBe(200);
      return body.data;
    };
    const before = await overview();
    expect(before).toMatchObject({ embedded: true, scheduled: true, requested: false });
    const asked = await Promise.all(Array.from({ length: 16 }, () => service.post('/api/backups', {}, token)));
    expect(new Set(asked.map((answer) => answer.status))).toEqual(new Set([202]));
    await until(async () => (await overview()).requested === false, 'the backup');
    const { items } = await overview();
    expect(items).toHaveLength(before.items.length + 1);
    expect(items[0]!.ended_at > before.items[0]!.ended_at).toBe(true);
    expect(JSON.stringify(items)).not.toContain('/');
    const { body } = await service.get<{ data: { items: { actor: string; resource: string }[] } }>(
      '/api/audit?action=backup.create',
      token,
    );
    expect(body.data.items[0]).toMatchObject({
      actor: expect.stringMatching(/^account:/),
      resource: `backup:${items[0]!.id}`,
    });
  };
  const status = async (service: Service, token: string): Promise<number> =>
    (await service.get('/api/auth/me', token)).status;

  it('makes backups as documented during registrations, without a failed request', async () => {
    const { home } = place;
    const service = await home.start({ env: ENV });
    await service.says(/A backup was created/);
    await home.run(['admin:create', '--email', boss.email, '--password', boss.password], { env: ENV });
    await signUp(service, before);
    lasting = await signIn(service, before);
    ended = await signIn(service, before);
    const made = await service.post<{ data: { id: string; key: string } }>(
      '/api/auth/keys',
      { name: 'report', current_password: before.password },
      lasting,
    );
    ({ key } = made.body.data);

    const load = new Load(service);
    await runPage(BACK_UP);
    const counts = await load.stop();
    expect(Object.keys(counts)).toEqual(['201']);
    expect(counts['201']).toBeGreaterThan(10);

    await backUpFromAfar(service);

    await delay(100);
    moment = new Date().toISOString();
    await delay(100);
    await service.post('/api/auth/logout', {}, ended);
    await signUp(service, after);
    expect([await status(service, lasting), await status(service, ended)]).toEqual([200, 401]);

    const refused = await home.run(['restore', '--at', moment], { env: ENV });
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/is being used. Stop the service/);
    await service.stop();
  });

  it.each([
    [['--at', 'yesterday'], /--at requires a timestamp with a time zone/],
    [['--at', '2026-11-22T20:15:00'], /--at requires a timestamp with a time zone/],
    [['--at', '2020-01-01T00:00:00Z'], /2020-01-01.* cannot be restored.*Choose another timestamp/],
    [['--at', '2999-01-01T00:00:00Z'], /is in the future/],
    [['--from', '/nowhere'], /there is no backup in \/nowhere/],
    [['--keep', 'everything'], /--keep accepts sessions,secrets,keys/],
  ])('rejects %j with one message', async (args, sentence) => {
    const { code, stdout, stderr } = await place.home.run(['restore', ...args], { env: ENV });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('rejects a backup with another APP_KEY, and a foreign server', async () => {
    const { home } = place;
    const other = await home.run(['restore'], { env: { ...ENV, APP_KEY: 'another key, of thirty-two bytes or more' } });
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('created with another APP_KEY')]);
    const server = await home.run(['restore'], { env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } });
    expect([server.code, server.stderr]).toEqual([1, expect.stringContaining('DATABASE_URL is set')]);
  });

  it('restores a point in time as documented, without its sessions and keys', async () => {
    const { home } = place;
    await runPage(RESTORE, { TIME: moment });
    const service = await home.start({ env: ENV });
    for (const token of [lasting, ended, key]) expect(await status(service, token)).toBe(401);
    await signIn(service, before);
    await expect(signIn(service, after)).rejects.toThrow('login answered 401');
    const token = await signIn(service, boss);
    const { body } = await service.get<{ data: { items: { changes: object }[] } }>(
      '/api/audit?action=backup.restore',
      token,
    );
    expect(body.data.items).toHaveLength(1);
    expect(body.data.items[0]!.changes).toMatchObject({ until: { after: moment }, keys: { after: 1 } });
    const verified = await home.run(['audit:verify'], { env: ENV });
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('Nothing was changed')]);
    // The restored database starts another timeline, so it is backed up immediately.
    await service.says(/A backup was created/);
    await service.stop();
  });

  it('keeps the requested credentials, from the same backup', async () => {
    const { home } = place;
    const base = join(home.dataDir, 'backups');
    const args = ['restore', '--from', base, '--at', moment, '--keep', 'sessions,keys', '--json'];
    const { code, stdout, stderr } = await home.run(args, { env: EMBEDDED });
    expect([code, stderr]).toEqual([0, '']);
    const restored = JSON.parse(stdout) as { ended: object; previous: string };
    expect(Object.keys(restored.ended)).toEqual(['secrets']);
    expect(readFileSync(join(restored.previous, 'PG_VERSION'), 'utf8').trim()).toBe('18');
    const service = await home.start({ env: EMBEDDED });
    expect(await status(service, lasting)).toBe(200);
    expect((await service.get('/api/content/users?limit=1', key)).status).not.toBe(401);
    await service.stop();
  });

  it('continues with its standby after its directory is lost', async () => {
    const { home } = place;
    const env = { ...EMBEDDED, EMBEDDED_STANDBY_DIR: join(home.directory, 'standby') };
    const service = await home.start({ env });
    await service.says(/The standby of the embedded database is running/);
    const last = newcomer();
    await signUp(service, last);
    await service.stop();
    await home.databaseGone();
    rmSync(join(home.dataDir, 'postgres'), { recursive: true });
    const { code, stdout } = await home.run(['promote', '--keep', 'sessions', '--json'], { env });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { ended: { secrets: expect.any(Number), keys: 1 }, previous: null },
    ]);
    const again = await home.start({ env: EMBEDDED });
    await signIn(again, last);
    expect(await status(again, lasting)).toBe(200);
    await again.stop();
  });
});
