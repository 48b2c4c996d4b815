import { statSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { acquireEmbeddedPostgres, type EmbeddedPostgresLease } from '../src/embedded-postgres.js';
import { acquire, makeDirectory, NAME, query, removeDirectory, socketDirectoryOf } from './support/directories.js';
import { startHolder } from './support/holder.js';
import {
  countProcesses,
  embeddedProcesses,
  environmentOf,
  eventually,
  killHard,
  untilGone,
} from './support/process-table.js';

// Starts real processes, possibly on a busy machine.
jest.setTimeout(120_000);

describe('starting and joining the embedded PostgreSQL', () => {
  let directory: string;
  let lease: EmbeddedPostgresLease | undefined;

  beforeEach(() => {
    directory = makeDirectory();
  });

  afterEach(async () => {
    await lease?.release();
    lease = undefined;
    await removeDirectory(directory);
  });

  it('starts on an empty directory and gives an ordinary role its own database', async () => {
    lease = await acquire({ directory });
    const [who] = await query<object>(
      lease,
      `SELECT current_user, current_database(), rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user`,
    );
    expect(who).toEqual({ current_user: NAME, current_database: NAME, rolsuper: false, rolcreatedb: true });
  });

  it('rejects names that PostgreSQL would fold or quote', async () => {
    for (const name of ['', 'Sample', 'a b', 'a;DROP', '9', '../up', 'a'.repeat(17)]) {
      await expect(acquireEmbeddedPostgres({ directory, name })).rejects.toThrow(TypeError);
    }
    expect(existsSync(directory)).toBe(false);
  });

  it('keeps durability and checksums on, and listens on a private unix socket only', async () => {
    lease = await acquire({ directory });
    const settings = await query<{ name: string; setting: string }>(
      lease,
      `SELECT name, setting FROM pg_settings WHERE name IN
        ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'unix_socket_permissions',
         'server_encoding', 'max_connections')`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      listen_addresses: '',
      unix_socket_permissions: '0700',
      server_encoding: 'UTF8',
      max_connections: '120',
    });
    expect(statSync(socketDirectoryOf(lease)).mode & 0o077).toBe(0);
    expect(statSync(directory).mode & 0o077).toBe(0);
  });

  it('is joined by a second process, which finds the data of the first one', async () => {
    lease = await acquire({ directory });
    const writer = startHolder(directory, { write: true });
    await eventually('rows are written', () => writer.rows.length > 3);
    killHard(writer.pid);
    await writer.closed;
    const [{ count } = { count: 0 }] = await query<{ count: number }>(lease, 'SELECT count(*)::int FROM written');
    expect(count).toBeGreaterThanOrEqual(writer.rows.length);
    expect(embeddedProcesses(directory)).toMatchObject({
      supervisors: [expect.any(Number)],
      postmasters: [expect.any(Number)],
    });
  });

  it('is shared by five processes that start together', async () => {
    const holders = Array.from({ length: 5 }, () => startHolder(directory));
    const outcomes = await Promise.all(holders.map((holder) => holder.outcome));
    expect(outcomes.map(({ event }) => event)).toEqual(Array(5).fill('ready'));
    expect(new Set(outcomes.map(({ url }) => url)).size).toBe(1);
    expect(embeddedProcesses(directory).postmasters).toHaveLength(1);
    await eventually('one supervisor stays', () => embeddedProcesses(directory).supervisors.length === 1);
    killHard(...holders.map(({ pid }) => pid));
    await untilGone(directory);
  });

  it('stops when the last lease is released, and leaves no process and no socket', async () => {
    lease = await acquire({ directory });
    const second = await acquire({ directory });
    const host = socketDirectoryOf(lease);
    await lease.release();
    await query(second, 'SELECT 1');
    await second.release();
    await untilGone(directory);
    expect(existsSync(join(host, '.s.PGSQL.5432'))).toBe(false);
    expect(existsSync(join(host, 'lease.sock'))).toBe(false);
    expect(readFileSync(join(directory, 'postgres.log'), 'utf8')).toContain('database system is shut down');
  });

  it('is joined by a process that arrives while it stops', async () => {
    for (let round = 0; round < 4; round += 1) {
      lease = await acquire({ directory });
      expect(await query(lease, 'SELECT 1')).toHaveLength(1);
      await lease.release();
      await eventually('it is about to stop', () => embeddedProcesses(directory).postmasters.length === 0);
    }
  });

  it('stops when its holder is killed, and leaves no process', async () => {
    const holder = startHolder(directory, { write: true });
    await eventually('rows are written', () => holder.rows.length > 0);
    killHard(holder.pid);
    await untilGone(directory);
  });

  it('uses a short private directory for the sockets when the path of the data is too long', async () => {
    const long = join(directory, 'a-rather-long-name-of-a-directory'.repeat(4));
    lease = await acquire({ directory: long });
    expect(socketDirectoryOf(lease).startsWith(long)).toBe(false);
    expect(statSync(socketDirectoryOf(lease)).mode & 0o777).toBe(0o700);
    expect(await query(lease, 'SELECT 1')).toHaveLength(1);
    const joined = await acquire({ directory: long });
    expect(joined.url).toBe(lease.url);
    await joined.release();
    await lease.release();
    await untilGone(long);
    rmSync(socketDirectoryOf(joined), { recursive: true });
  });

  it('passes nothing of the environment to processes that outlive the starter', async () => {
    const holder = startHolder(directory, { env: { APP_KEY: 'canary-of-the-environment' } });
    expect(await holder.outcome).toMatchObject({ event: 'ready' });
    expect(environmentOf(holder.pid)).toContain('canary-of-the-environment');
    const { supervisors, postmasters, guards } = embeddedProcesses(directory);
    for (const pid of [...supervisors, ...postmasters, ...guards]) {
      expect(environmentOf(pid)).not.toContain('canary-of-the-environment');
    }
    killHard(holder.pid);
    await untilGone(directory);
  });

  it("survives an interrupt of the starter's terminal, and keeps none of its streams open", async () => {
    const starter = startHolder(directory);
    await starter.outcome;
    const before = embeddedProcesses(directory);
    lease = await acquire({ directory });
    process.kill(-starter.pid, 'SIGINT');
    await starter.closed;
    expect(await query(lease, 'SELECT 1')).toHaveLength(1);
    expect(embeddedProcesses(directory).supervisors).toEqual(before.supervisors);
    expect(embeddedProcesses(directory).postmasters).toEqual(before.postmasters);
    expect(countProcesses(directory)).toBeGreaterThan(0);
  });
});
