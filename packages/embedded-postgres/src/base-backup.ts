import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, QueryResult } from 'pg';
import { withAdmin } from './admin-connection.js';
import { BASE_FILE, type Backup, startBackup, completeBackup, type Draft } from './backup-store.js';
import { createHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { currentIncarnation } from './wal-archive.js';
import { walFileName } from './wal-files.js';

export interface BackupOptions {
  readonly url: string;
  /** Directory of the embedded server, as for its lease. */
  readonly directory: string;
  readonly name: string;
  readonly backups: string;
  readonly facts?: Readonly<Record<string, string>>;
}

/** Any fixed number: one backup of a server at a time. */
const LOCK = 724_150_340;

/**
 * Creates a backup of the whole server while it is in use: a checkpoint, then all files and the WAL written meanwhile, with checksums in a
 * manifest. A killed process leaves no incomplete backup.
 *
 * @throws EmbeddedPostgresError `backup_running` or `backup_failed`
 */
export async function createBackup({ url, directory, name, backups, facts = {} }: BackupOptions): Promise<Backup> {
  const home = createHome(directory, name);
  return withAdmin(url, async (client) => {
    await lockBackups(client);
    let draft: Draft | undefined;
    try {
      const started = startBackup(backups, home.cluster);
      const { id } = started;
      draft = started.draft;
      const { startedAt, walBytes, version } = await describeServer(client);
      const result = await withAdmin(url, (walsender) => writeBase(walsender, started.draft, id), {
        replication: true,
      });
      const { endedAt } = await describeServer(client);
      const endPositions = positionsOf(result, walBytes);
      const bytes = statSync(join(draft.path, BASE_FILE)).size;
      const life = currentIncarnation({ directory, name });
      const application = home.name;
      const about = { version: 1, id, life, application, postgres: version, startedAt, endedAt } as const;
      return completeBackup(draft, { ...about, ...endPositions, walBytes, bytes, facts });
    } catch (error) {
      draft?.discard();
      throw error instanceof EmbeddedPostgresError ? error : failed(backups, error);
    }
  });
}

/** Locks backups. A backup of a killed process may still run on the server. It is terminated, because its draft is deleted. */
async function lockBackups(client: Client): Promise<void> {
  const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS free', [LOCK]);
  if (rows[0]?.free !== true)
    throw new EmbeddedPostgresError('backup_running', 'another backup of this database is running');
  await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_progress_basebackup');
}

interface ServerFacts {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly walBytes: number;
  readonly version: number;
}

async function describeServer(client: Client): Promise<ServerFacts> {
  const { rows } = await client.query<{ now: Date; wal: string; version: string }>(
    `SELECT clock_timestamp() AS now, (SELECT setting FROM pg_settings WHERE name = 'wal_segment_size') AS wal,
       current_setting('server_version_num') AS version`,
  );
  const [{ now, wal, version }] = rows as [(typeof rows)[0]];
  const timestamp = now.toISOString();
  return {
    startedAt: timestamp,
    endedAt: timestamp,
    walBytes: Number(wal),
    version: Math.floor(Number(version) / 10_000),
  };
}

/** Writes the base backup (PostgreSQL, chapter 54.4). The server writes the files itself, and returns its WAL positions. */
async function writeBase(walsender: Client, draft: Draft, id: string): Promise<QueryResult[]> {
  const target = walsender.escapeLiteral(join(draft.path, 'base')).replace(/^ E/, '');
  const options = [
    `LABEL '${id}'`,
    `CHECKPOINT 'fast'`,
    'WAL true',
    // The WAL is part of the backup, so there is no need to wait for an archive that may be unavailable.
    'WAIT false',
    `MANIFEST 'yes'`,
    `MANIFEST_CHECKSUMS 'SHA256'`,
    `COMPRESSION 'gzip'`,
    `COMPRESSION_DETAIL 'level=1'`,
    `TARGET 'server'`,
    `TARGET_DETAIL ${target}`,
  ];
  return (await walsender.query(`BASE_BACKUP (${options.join(', ')})`)) as unknown as QueryResult[];
}

function positionsOf(results: QueryResult[], walBytes: number): Pick<Backup, 'firstWal' | 'lastWal'> {
  const positions = results.flatMap(({ rows }) => rows as { recptr?: string; tli?: string }[]);
  const names = positions.flatMap(({ recptr, tli }) =>
    recptr === undefined ? [] : [walFileName(Number(tli), recptr, walBytes)],
  );
  const [firstWal = '', lastWal = firstWal] = [names[0], names.at(-1)];
  if (firstWal === '') throw new Error('the server did not report the start of the backup');
  return { firstWal, lastWal };
}

function failed(backups: string, cause: unknown): EmbeddedPostgresError {
  const message = cause instanceof Error ? cause.message : String(cause);
  // The server reports how much it could write, but not the reason.
  const reason = /wrote only \d+ of \d+ bytes/.test(message) ? `no space left: ${message}` : message;
  return new EmbeddedPostgresError('backup_failed', `the backup in ${backups} could not be written (${reason})`, {
    cause,
  });
}
