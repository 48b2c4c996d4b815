import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { programPath, type PostgresBinaries } from './binaries.js';
import { COPY_PREFIX, sweepDrafts } from './backup-store.js';
import { syncDirectory, writeDurably } from './durable-files.js';
import { notAccessible, type EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';
import { finishReplacement } from './replace-cluster.js';

/** The role that owns the cluster. The application uses an ordinary role. */
export const ADMIN_ROLE = 'postgres';

const DRAFT_PREFIX = 'cluster.init-';
const ESSENTIALS = ['PG_VERSION', 'global/pg_control', 'postgresql.conf', 'pg_hba.conf', 'base', 'pg_wal', 'pg_xact'];
const OWN_ENTRIES =
  /^(run|password|cluster\.(init|before)-.*|binaries-.*|copy-.*|(archive|replacement)\.json(\.draft)?|(postgres|supervisor)\.log(\.1)?)$/;

/** Settings of a new cluster. The owner may change them in `postgresql.conf`. */
const INITIAL_SETTINGS = {
  shared_buffers: '64MB',
  max_connections: '120',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/**
 * Ensures that the data directory contains a complete cluster of the right version; creates it if there is none. An incomplete draft of a
 * killed process is deleted. Only the owner of the start lock may call this.
 *
 * @throws EmbeddedPostgresError `directory_damaged`, `directory_newer`, `directory_older`, `directory_not_accessible`,
 * `platform_unsupported` or `start_failed`
 */
export async function prepareCluster(home: EmbeddedHome, binaries: PostgresBinaries): Promise<void> {
  try {
    finishReplacement(home);
    discardDrafts(home.root);
    sweepDrafts(home.root, COPY_PREFIX);
    // Not existsSync, which uses access(2) and so ignores capabilities that bypass directory permissions.
    if (statSync(home.cluster, { throwIfNoEntry: false })) checkCluster(home, binaries.majorVersion);
    else await createCluster(home, binaries);
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errnoOf(error) ?? '')) throw notAccessible(home.root, error);
    throw error;
  }
}

/** @throws EmbeddedPostgresError `directory_damaged`, `directory_newer` or `directory_older` */
function checkCluster({ cluster: directory, name }: EmbeddedHome, majorVersion: number): void {
  const marker = markerOf(name);
  // Uses statSync to distinguish an unreadable directory from a missing file.
  const missing = [marker, ...ESSENTIALS].filter((file) => !statSync(join(directory, file), { throwIfNoEntry: false }));
  if (missing.includes(marker)) throw damagedDirectory(directory, `was not created by ${name} (it has no ${marker})`);
  if (missing.length > 0) throw damagedDirectory(directory, `is damaged: ${missing.join(', ')} missing`);
  const text = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim();
  const version = Number(text);
  if (!/^\d+$/.test(text)) throw damagedDirectory(directory, 'is damaged: PG_VERSION contains no version');
  if (version !== majorVersion) throw otherVersion(directory, version, majorVersion);
}

/** The marker is written after `initdb`, when all files are synced: a cluster without it is incomplete or foreign. */
function markerOf(name: string): string {
  return `${name}-cluster.json`;
}

function damagedDirectory(directory: string, what: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'directory_damaged',
    `the database directory ${directory} ${what}; nothing in it was changed`,
  );
}

function otherVersion(directory: string, found: number, expected: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    found > expected ? 'directory_newer' : 'directory_older',
    `the database directory ${directory} was created by PostgreSQL ${found}, and this is PostgreSQL ${expected}; ` +
      'nothing in it was changed',
  );
}

async function createCluster(home: EmbeddedHome, binaries: PostgresBinaries): Promise<void> {
  const foreign = readdirSync(home.root).filter((name) => !OWN_ENTRIES.test(name));
  if (foreign.length > 0)
    throw damagedDirectory(
      home.root,
      `was not created by ${home.name} (it contains ${foreign.slice(0, 3).join(', ')})`,
    );
  const draft = mkdtempSync(join(home.root, DRAFT_PREFIX));
  try {
    await runInitdb(home, binaries, draft);
    const marker = { createdBy: home.name, postgres: binaries.majorVersion };
    writeDurably(join(draft, markerOf(home.name)), JSON.stringify(marker));
    syncDirectory(draft);
    renameSync(draft, home.cluster);
    syncDirectory(home.root);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

function discardDrafts(root: string): void {
  for (const name of readdirSync(root)) {
    // An initdb that survived its killed supervisor may still write for a moment, so deleting is retried.
    if (name.startsWith(DRAFT_PREFIX)) {
      rmSync(join(root, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }
}

async function runInitdb(home: EmbeddedHome, binaries: PostgresBinaries, draft: string): Promise<void> {
  const args = [
    '-D',
    draft,
    '-U',
    ADMIN_ROLE,
    '-E',
    'UTF8',
    '--data-checksums',
    '--no-instructions',
    ...localeOptions(),
  ];
  for (const [name, value] of Object.entries(INITIAL_SETTINGS)) args.push('--set', `${name}=${value}`);
  if (process.platform === 'win32') {
    writeDurably(home.passwordFile, randomBytes(24).toString('base64url'));
    args.push('-A', 'scram-sha-256', '--pwfile', home.passwordFile);
  } else {
    args.push('-A', 'trust');
  }
  const { code, output } = await run(programPath(binaries.directory, 'initdb'), args);
  if (code !== 0) {
    throw new EmbeddedPostgresError('start_failed', `initdb failed in ${home.root}: ${output.trim().slice(-600)}`);
  }
}

/** C.UTF-8. Systems without that locale use PostgreSQL's built-in one, which sorts and folds the same way. */
function localeOptions(): string[] {
  return process.platform === 'linux'
    ? ['--locale=C.UTF-8']
    : ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

function run(program: string, args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => reject(notExecutable(program, error)));
    child.once('close', (code) => resolve({ code, output }));
  });
}

function notExecutable(program: string, cause: Error): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'platform_unsupported',
    `${program} cannot be run on this machine (${cause.message}; the binaries need glibc on Linux)`,
    { cause },
  );
}
