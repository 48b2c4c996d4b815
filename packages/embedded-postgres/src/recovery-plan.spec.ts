import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listBackups, pruneBackups } from './backup-store.js';
import { planRecovery } from './recovery-plan.js';
import { nextWalFile, walFileName, walFilesIn } from './wal-files.js';

const MB = 1_048_576;
const DAY_MS = 86_400_000;
const noon = (day: number): Date => new Date(Date.UTC(2026, 9, day, 12));
const minutes = (moment: Date, count: number): Date => new Date(moment.getTime() + count * 60_000);
const wal = (number: number): string => walFileName(1, `0/${(number * 16 * MB).toString(16)}`, 16 * MB);

describe('backups and the log segments between them', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-postgres-plan-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const addBackup = (day: number, first: number, life = 'one', more: object = {}): string => {
    const id = `backup-${day}`;
    const path = join(directory, 'base', id);
    mkdirSync(path, { recursive: true });
    const times = { startedAt: noon(day).toISOString(), endedAt: minutes(noon(day), 1).toISOString() };
    const log = { firstWal: wal(first), lastWal: wal(first + 1), walBytes: 16 * MB };
    const about = { version: 1, id, life, application: 'sample', postgres: 18, bytes: 1, facts: {} };
    writeFileSync(join(path, 'backup.json'), JSON.stringify({ ...about, ...times, ...log, ...more }));
    return path;
  };
  const archive = (number: number, at: Date, life = 'one', packed = false): void => {
    mkdirSync(join(directory, 'wal', life), { recursive: true });
    const path = join(directory, 'wal', life, packed ? `${wal(number)}.${at.getTime()}.gz` : wal(number));
    writeFileSync(path, '');
    utimesSync(path, at, at);
  };
  const plan = (at?: Date, from = directory): ReturnType<typeof planRecovery> =>
    planRecovery({ from, at, application: 'sample', majorVersion: 18 });
  const code = (run: () => unknown): unknown => {
    try {
      return run() && 'nothing was thrown';
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };

  it('selects the newest backup before a point in time, and the log up to it', () => {
    addBackup(1, 10);
    addBackup(2, 100);
    for (let number = 9; number < 20; number += 1) archive(number, minutes(noon(1), number), 'one', number % 2 === 0);
    const { backup, wal: files } = plan(minutes(noon(1), 14.5));
    expect(backup.id).toBe('backup-1');
    expect(files.map(({ name }) => name)).toEqual([11, 12, 13, 14, 15, 16].map(wal));
    expect(plan().backup.id).toBe('backup-2');
    expect(plan(undefined, join(directory, 'base', 'backup-1')).reach).toEqual(minutes(noon(1), 19));
  });

  it('rejects an unreachable point in time, and lists what is available', () => {
    expect(code(() => plan())).toBe('backup_missing');
    addBackup(1, 10);
    archive(11, minutes(noon(1), 5));
    expect(code(() => plan(noon(1)))).toBe('moment_missing');
    expect(() => plan(minutes(noon(1), 5.1))).toThrow(minutes(noon(1), 5).toISOString());
    expect(code(() => plan(new Date(Date.now() + 60_000)))).toBe('moment_missing');
    expect(plan(minutes(noon(1), 5)).at).toEqual(minutes(noon(1), 5));
  });

  it('names the missing file, and still reaches earlier points', () => {
    addBackup(1, 10);
    for (const number of [11, 12, 14]) archive(number, minutes(noon(1), number));
    expect(() => plan(minutes(noon(1), 14))).toThrow(wal(13));
    expect(code(() => plan())).toBe('archive_gap');
    expect(plan(minutes(noon(1), 12)).wal.map(({ name }) => name)).toEqual([wal(11), wal(12)]);
  });

  it('continues with the log of the cluster itself, until now', () => {
    addBackup(1, 10);
    archive(11, minutes(noon(1), 5));
    const live = join(directory, 'live');
    mkdirSync(live);
    for (const number of [11, 12]) writeFileSync(join(live, wal(number)), '');
    const at = new Date();
    const options = { from: directory, at, application: 'sample', majorVersion: 18 };
    expect(planRecovery({ ...options, liveLog: (life) => (life === 'one' ? live : null) }).wal).toHaveLength(2);
    expect(code(() => planRecovery({ ...options, liveLog: () => null }))).toBe('moment_missing');
  });

  it('rejects backups of another application or version, and without a description', () => {
    const path = addBackup(1, 10, 'one', { application: 'other' });
    expect(code(() => plan())).toBe('backup_damaged');
    addBackup(1, 10, 'one', { postgres: 19 });
    expect(code(() => plan())).toBe('directory_newer');
    addBackup(1, 10, 'one', { postgres: 17 });
    expect(code(() => plan())).toBe('directory_older');
    writeFileSync(join(path, 'backup.json'), '{"version":1');
    expect(code(() => plan())).toBe('backup_damaged');
  });

  it('keeps what is needed for any point in the last days, and nothing else', () => {
    for (const [day, life] of [
      [1, 'before'],
      [2, 'one'],
      [3, 'one'],
      [4, 'one'],
    ] as const)
      addBackup(day, day * 10, life);
    for (const number of [20, 25, 30, 35, 40, 45]) archive(number, noon(4));
    archive(10, noon(1), 'before');
    mkdirSync(join(directory, 'wal', 'abandoned'));
    const went = pruneBackups(directory, 1, 'one', noon(4).getTime() + DAY_MS / 2);
    expect(went).toEqual(['backup-1', 'backup-2']);
    expect(listBackups(directory).map(({ id }) => id)).toEqual(['backup-3', 'backup-4']);
    expect([...walFilesIn(join(directory, 'wal', 'one')).keys()].sort()).toEqual([30, 35, 40, 45].map(wal));
    expect([...walFilesIn(join(directory, 'wal', 'before')).keys()]).toEqual([]);
    expect(pruneBackups(directory, 1, 'one', noon(30).getTime())).toEqual(['backup-3']);
  });

  it('counts log segments like PostgreSQL', () => {
    expect(walFileName(1, '0/1000028', 16 * MB)).toBe('000000010000000000000001');
    expect(walFileName(2, 'A/FF000000', 16 * MB)).toBe('000000020000000A000000FF');
    expect(nextWalFile('000000020000000A000000FF', 16 * MB)).toBe('000000020000000B00000000');
    expect(nextWalFile('000000010000000000000FFF', MB)).toBe('000000010000000100000000');
  });
});
