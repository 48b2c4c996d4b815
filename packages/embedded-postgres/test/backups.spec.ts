import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  acquireEmbeddedPostgres,
  type Backup,
  currentIncarnation,
  type EmbeddedPostgresLease,
  listBackups,
  packArchive,
  restoreBackup,
  createBackup,
  verifyBackup,
} from '../src/embedded-postgres.js';
import { startTask } from './support/backup-task.js';
import { makeDirectory, NAME, query, removeDirectory, SUPERVISOR } from './support/directories.js';
import { countProcesses, embeddedProcesses, eventually, killHard, untilGone } from './support/process-table.js';

// Starts real servers, possibly on a busy machine.
jest.setTimeout(180_000);

/** The tests run in order on one server. Each continues with the state that the previous test left. */
describe('backups of the embedded PostgreSQL', () => {
  let directory: string;
  let backups: string;
  let lease: EmbeddedPostgresLease | undefined;
  const place = (): { directory: string; name: string; supervisor: string } => ({
    directory,
    name: NAME,
    supervisor: SUPERVISOR,
  });
  const acquire = async (archive?: string | null): Promise<EmbeddedPostgresLease> =>
    (lease = await acquireEmbeddedPostgres({ ...place(), ...(archive !== undefined && { archive }) }));
  const end = async (): Promise<void> => {
    await lease?.end();
    lease = undefined;
  };
  const take = (): Promise<Backup> => createBackup({ ...place(), url: lease!.url, backups, facts: { of: 'a test' } });
  const names = (url = lease!.url): Promise<string[]> => namesAt(url);
  const restore = (options: { at?: Date; from?: string } = {}): ReturnType<typeof restoreBackup<string[]>> =>
    restoreBackup({ ...place(), from: backups, ...options, work: namesAt });
  const archived = (): string => join(backups, 'wal', currentIncarnation(place()));
  let first: Backup;
  let between: Date;

  beforeAll(() => {
    directory = makeDirectory();
    backups = join(dirname(directory), 'backups');
  });

  afterAll(async () => {
    await lease?.release();
    await removeDirectory(directory);
  });

  it('are created during writes, and archive later changes', async () => {
    await acquire(backups);
    await query(lease!, 'CREATE TABLE things (name text PRIMARY KEY, filler text)');
    await query(lease!, `INSERT INTO things SELECT 'early ' || n, repeat('x', 2000) FROM generate_series(1, 500) n`);
    let isOver = false;
    const writes: Promise<unknown>[] = [];
    const writing = (async () => {
      for (let number = 0; !isOver; number += 1) {
        writes.push(query(lease!, `INSERT INTO things VALUES ('meanwhile ${number}')`));
        await writes.at(-1);
      }
    })();
    first = await take();
    isOver = true;
    await writing;
    expect(writes.length).toBeGreaterThan(0);
    expect(first).toMatchObject({ application: NAME, postgres: 18, facts: { of: 'a test' } });
    expect(listBackups(backups)).toEqual([first]);
    await query(lease!, `DELETE FROM things WHERE name LIKE 'meanwhile %'; INSERT INTO things VALUES ('late')`);
    await delay(50);
    between = new Date();
    await delay(50);
    await query(lease!, `INSERT INTO things VALUES ('too late')`);
  });

  it('are rejected while another one runs', async () => {
    const outcomes = await Promise.allSettled([take(), take(), take()]);
    const refused = outcomes.flatMap((one) =>
      one.status === 'rejected' ? [(one.reason as { code: string }).code] : [],
    );
    expect(refused).toEqual(['backup_running', 'backup_running']);
    expect(listBackups(backups)).toHaveLength(2);
    rmSync(listBackups(backups)[1]!.directory, { recursive: true });
  });

  it('are verified by a server on a copy, with every file, and leave no files', async () => {
    const before = readdirSync(backups);
    const { result, backup } = await verifyBackup({ ...place(), from: first.directory, work: namesAt });
    expect(backup.id).toBe(first.id);
    expect(result).toContain('early 500');
    expect(readdirSync(backups)).toEqual(before);
  });

  it('are rejected if a byte was changed or a file is missing', async () => {
    const copy = join(dirname(directory), 'copy');
    const verify = async (spoil: () => void): Promise<unknown> => {
      cpSync(first.directory, copy, { recursive: true, preserveTimestamps: true });
      spoil();
      const outcome = await verifyBackup({ ...place(), from: copy, work: namesAt }).catch((error: unknown) => error);
      rmSync(copy, { recursive: true });
      return (outcome as { code?: string }).code;
    };
    const flip = (path: string, at: number): void => {
      const bytes = readFileSync(path);
      const place = Math.floor(bytes.length * at);
      bytes[place] = (bytes[place] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    };
    const base = join(copy, 'base', 'base.tar.gz');
    const manifest = join(copy, 'base', 'backup_manifest');
    expect(await verify(() => flip(base, 0.3))).toBe('backup_damaged');
    expect(await verify(() => writeFileSync(base, readFileSync(base).subarray(0, 1_000_000)))).toBe('backup_damaged');
    expect(await verify(() => flip(manifest, 0.5))).toBe('backup_damaged');
    expect(await verify(() => rmSync(manifest))).toBe('backup_damaged');
    expect(await verify(() => rmSync(join(copy, 'backup.json')))).toBe('backup_missing');
  });

  it('are not restored while the server is in use', async () => {
    await expect(restore()).rejects.toMatchObject({ code: 'directory_in_use' });
    expect(await names()).toContain('too late');
  });

  it('restore a point between two writes, and keep the previous data', async () => {
    await end();
    const { result, kept, backup } = await restore({ at: between });
    expect(backup.id).toBe(first.id);
    expect(result).toHaveLength(501);
    expect([result.includes('late'), result.includes('too late')]).toEqual([true, false]);
    expect(existsSync(join(kept!, 'PG_VERSION'))).toBe(true);
    await acquire(backups);
    expect(await names()).toEqual(result);
    expect(countProcesses(join(directory, 'copy-'))).toBe(0);
    expect(readdirSync(directory).filter((name) => name.startsWith('copy-'))).toEqual([]);
    // The restored server starts another life with a separate archive. The previous life can still be restored.
    expect(currentIncarnation(place())).not.toBe(first.life);
  });

  it('are restored immediately after the last client has disconnected', async () => {
    await lease!.release();
    lease = undefined;
    const { result } = await restore();
    expect(result).toContain('late');
    await acquire(backups);
  });

  it('are restored after the last client has disconnected, even if the supervisor needs seconds to notice', async () => {
    const [supervisor] = embeddedProcesses(directory).supervisors;
    process.kill(supervisor!, 'SIGSTOP');
    const resumed = delay(5_000).then(() => process.kill(supervisor!, 'SIGCONT'));
    try {
      // Not awaited: release() also waits for the supervisor, which is stopped.
      const released = lease!.release();
      lease = undefined;
      expect((await restore()).result).toContain('late');
      await released;
    } finally {
      await resumed;
    }
    await acquire(backups);
  });

  it('restore up to the end of the log, even if most of it was compressed', async () => {
    await take();
    await query(lease!, `INSERT INTO things VALUES ('packed')`);
    await switchLog(lease!);
    await eventually('it is archived', () => readdirSync(archived()).some((name) => /^[0-9A-F]{24}$/.test(name)));
    await packArchive(backups, currentIncarnation(place()), Date.now() + 120_000);
    expect(readdirSync(archived()).filter((name) => name.endsWith('.gz')).length).toBeGreaterThan(0);
    await query(lease!, `INSERT INTO things VALUES ('in the log of the cluster alone')`);
    await end();
    const { result } = await restore();
    expect(result).toEqual(expect.arrayContaining(['packed', 'in the log of the cluster alone']));
  });

  it('change nothing if the work with the copy fails', async () => {
    const work = (): Promise<never> => Promise.reject(new Error('not like this'));
    await expect(restoreBackup({ ...place(), from: backups, work })).rejects.toThrow('not like this');
    expect(readdirSync(directory).filter((name) => name.startsWith('copy-'))).toEqual([]);
    await acquire(backups);
    expect(await names()).toContain('packed');
  });

  it('are complete or absent when their process is killed', async () => {
    const count = listBackups(backups).length;
    for (const moment of [30, 120, 300]) {
      const task = startTask('backup', directory, backups);
      await task.ready;
      await delay(moment);
      killHard(task.pid);
      await task.closed;
    }
    const whole = listBackups(backups);
    expect(whole.length).toBeGreaterThanOrEqual(count);
    // The server may need a moment to notice that the client is gone.
    await eventually('the next one is made', () =>
      take().then(
        () => true,
        (error: { code?: string }) => {
          if (error.code !== 'backup_running') throw error;
          return false;
        },
      ),
    );
    expect(listBackups(backups)).toHaveLength(whole.length + 1);
    expect(readdirSync(join(backups, 'base')).sort()).toEqual(
      listBackups(backups)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('report a full disk in one message, leave no partial files, and work again when there is space', async () => {
    const small = join(dirname(directory), 'small');
    mkdirSync(small);
    const mount = (...args: string[]): string => spawnSync('mount', [...args, small], { encoding: 'utf8' }).stderr;
    const refused = mount('-t', 'tmpfs', '-o', 'size=2m', 'tmpfs');
    if (refused !== '') return expect(refused).toMatch(/superuser|permission denied|not permitted/i);
    try {
      const store = join(small, 'backups');
      const into = (): Promise<Backup> => createBackup({ ...place(), url: lease!.url, backups: store });
      const full = {
        code: 'backup_failed',
        message: expect.stringMatching(/^the backup in \S+ could not be written \([^\n]*no space left[^\n]*\)$/i),
      };
      expect(await into().catch((error: unknown) => error)).toMatchObject(full);
      expect(readdirSync(join(store, 'base'))).toEqual([]);
      // Now the disk has no room even for the first file of a backup.
      expect(() => writeFileSync(join(small, 'filler'), Buffer.alloc(4_000_000))).toThrow('ENOSPC');
      expect(await into().catch((error: unknown) => error)).toMatchObject(full);
      expect(readdirSync(join(store, 'base'))).toEqual([]);
      expect(await names()).toContain('packed');
      rmSync(join(small, 'filler'));
      expect(mount('-o', 'remount,size=256m')).toBe('');
      const made = await into();
      expect(listBackups(store)).toEqual([made]);
      expect((await verifyBackup({ ...place(), from: made.directory, work: namesAt })).result).toContain('packed');
    } finally {
      expect(spawnSync('umount', [small]).status).toBe(0);
    }
  });

  it('replace nothing when the restoring process is killed', async () => {
    const before = await names();
    await end();
    const task = startTask('restore', directory, backups);
    expect(await task.ready).toMatchObject({ event: 'ready' });
    const told = await acquireEmbeddedPostgres(place()).catch((error: unknown) => error);
    expect(told).toMatchObject({ code: 'directory_in_use', message: expect.stringContaining('is being restored') });
    killHard(task.pid);
    await task.closed;
    await untilGone(join(directory, 'copy-'));
    await acquire();
    expect(await names()).toEqual(before);
    expect(readdirSync(directory).filter((name) => name.startsWith('copy-'))).toEqual([]);
  });

  it('contain no log segments once archiving ends, and report it', async () => {
    await end();
    await acquire(null);
    const [setting] = await query<{ archive_mode: string }>(lease!, 'SHOW archive_mode');
    expect(setting).toEqual({ archive_mode: 'off' });
    const backup = await take();
    await end();
    const copy = join(dirname(directory), 'alone');
    cpSync(backup.directory, copy, { recursive: true });
    await expect(restore({ from: copy, at: new Date(Date.parse(backup.endedAt) - 60_000) })).rejects.toMatchObject({
      code: 'moment_missing',
    });
  });
});

async function namesAt(url: string): Promise<string[]> {
  const rows = await query<{ name: string }>({ url } as EmbeddedPostgresLease, 'SELECT name FROM things ORDER BY name');
  return rows.map(({ name }) => name);
}

async function switchLog({ url }: EmbeddedPostgresLease): Promise<void> {
  const admin = url.replace(`postgres://${NAME}`, 'postgres://postgres');
  await query({ url: admin } as EmbeddedPostgresLease, 'SELECT pg_switch_wal()');
}
