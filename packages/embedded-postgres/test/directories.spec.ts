import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from '../src/embedded-postgres.js';
import {
  acquire,
  answers,
  makeDirectory,
  makeDirectoryWithCluster,
  removeDirectory,
  socketDirectoryOf,
} from './support/directories.js';
import { countProcesses, embeddedProcesses, killHard, untilGone } from './support/process-table.js';

// Starts real processes, possibly on a busy machine.
jest.setTimeout(120_000);

describe('the directory of the embedded PostgreSQL', () => {
  let directory: string;
  let cluster: string;

  const refusal = async (): Promise<EmbeddedPostgresError> => {
    const error = await acquire({ directory }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(EmbeddedPostgresError);
    await untilGone(directory);
    return error as EmbeddedPostgresError;
  };

  const startOnce = async (): Promise<void> => {
    const lease = await acquire({ directory });
    expect(await answers(lease)).toBe(true);
    await lease.release();
    await untilGone(directory);
  };

  const begin = (made: string): void => {
    directory = made;
    cluster = join(directory, 'cluster');
  };

  afterEach(() => removeDirectory(directory));

  it('is recreated after an interrupted initdb', async () => {
    begin(makeDirectory());
    const half = join(directory, 'cluster.init-half');
    mkdirSync(join(half, 'base'), { recursive: true });
    writeFileSync(join(half, 'PG_VERSION'), '18\n');
    await startOnce();
    expect(existsSync(half)).toBe(false);
    expect(readdirSync(directory).filter((name) => name.startsWith('cluster.init-'))).toEqual([]);
  });

  it('is reported and left unchanged if it is damaged, of another version or broken', async () => {
    begin(makeDirectoryWithCluster());
    await startOnce();
    const versionFile = join(cluster, 'PG_VERSION');

    rmSync(versionFile);
    expect(await refusal()).toMatchObject({ code: 'directory_damaged', message: expect.stringContaining(cluster) });

    writeFileSync(versionFile, 'nonsense\n');
    expect(await refusal()).toMatchObject({ code: 'directory_damaged', message: expect.stringContaining(cluster) });

    writeFileSync(versionFile, '99\n');
    const newer = await refusal();
    expect(newer).toMatchObject({ code: 'directory_newer', message: expect.stringContaining(cluster) });
    expect(newer.message).toContain('PostgreSQL 99');

    writeFileSync(versionFile, '15\n');
    expect(await refusal()).toMatchObject({ code: 'directory_older', message: expect.stringContaining(cluster) });

    writeFileSync(versionFile, '18\n');
    const control = join(cluster, 'global', 'pg_control');
    const content = readFileSync(control);
    writeFileSync(control, Buffer.alloc(content.length));
    const broken = await refusal();
    expect(broken).toMatchObject({ code: 'start_failed', message: expect.stringContaining(cluster) });
    expect(broken.message).toContain('FATAL');

    writeFileSync(control, content);
    await startOnce();
  });

  it('is rejected if another application created it', async () => {
    begin(makeDirectory());
    mkdirSync(directory);
    writeFileSync(join(directory, 'PG_VERSION'), '18\n');
    expect(await refusal()).toMatchObject({ code: 'directory_damaged', message: expect.stringContaining(directory) });
    expect(readFileSync(join(directory, 'PG_VERSION'), 'utf8')).toBe('18\n');
    rmSync(join(directory, 'PG_VERSION'));

    mkdirSync(cluster);
    writeFileSync(join(cluster, 'PG_VERSION'), '18\n');
    expect(await refusal()).toMatchObject({ code: 'directory_damaged', message: expect.stringContaining(cluster) });
    expect(readdirSync(cluster)).toEqual(['PG_VERSION']);
  });

  it('is rejected if it is a file', async () => {
    begin(makeDirectory());
    writeFileSync(directory, '');
    expect(await refusal()).toMatchObject({ code: 'directory_damaged', message: expect.stringContaining(directory) });
  });

  it('starts although postmaster.pid of a killed server names a running process', async () => {
    begin(makeDirectoryWithCluster());
    const lease = await acquire({ directory });
    const { supervisors, guards, postmasters, backends } = embeddedProcesses(directory);
    const pidFile = readFileSync(join(cluster, 'postmaster.pid'), 'utf8');
    await lease.release();
    killHard(...supervisors, ...guards, ...postmasters, ...backends);
    await untilGone(directory);
    for (const path of [join(cluster, 'postmaster.pid'), join(socketDirectoryOf(lease), '.s.PGSQL.5432.lock')]) {
      writeFileSync(path, pidFile.replace(/^\d+/, String(process.pid)));
    }
    await startOnce();
  });

  it('starts from a copy or after a move, although the pid file names the old place', async () => {
    begin(makeDirectoryWithCluster());
    const original = await acquire({ directory });
    const { postmasters } = embeddedProcesses(directory);
    const copy = makeDirectory();
    try {
      // The pid file of the copy names a living server, but that server runs in another directory.
      await original.release();
      const pidFile = readFileSync(join(cluster, 'postmaster.pid'), 'utf8');
      await untilGone(directory);
      renameSync(directory, copy);
      const restarted = await acquire({ directory });
      const [running] = embeddedProcesses(directory).postmasters;
      writeFileSync(join(copy, 'cluster', 'postmaster.pid'), pidFile.replace(String(postmasters[0]), String(running)));
      const moved = await acquire({ directory: copy });
      expect(await answers(moved)).toBe(true);
      expect(await answers(restarted)).toBe(true);
      expect(embeddedProcesses(directory).postmasters).toEqual([running]);
      await moved.release();
      await restarted.release();
    } finally {
      await removeDirectory(copy);
    }
  });

  it('starts although the lock of a killed supervisor names a running process', async () => {
    begin(makeDirectoryWithCluster());
    await startOnce();
    const run = join(directory, 'run');
    const [name] = readdirSync(run).filter((entry) => entry.startsWith('lock.'));
    const owner = JSON.parse(readFileSync(join(run, name!), 'utf8')) as object;
    writeFileSync(join(run, name!), JSON.stringify({ ...owner, pid: process.pid }));
    await startOnce();
    expect(countProcesses(directory)).toBe(0);
  });
});
