import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { createDirectories } from './create-directories.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';

/** Paths of the embedded PostgreSQL of an application, all under one directory. */
export interface EmbeddedHome {
  readonly name: string;
  /** Absolute path, mode 0700. */
  readonly root: string;
  readonly cluster: string;
  /** Directory of the start lock and, if its path is short enough, the sockets. */
  readonly run: string;
  readonly postgresLog: string;
  readonly supervisorLog: string;
  /** Password of all roles; used only if PostgreSQL listens on TCP (Windows). */
  readonly passwordFile: string;
}

/** The path of a unix socket has at most 103 bytes on macOS and 107 on Linux. PostgreSQL's lock file needs five more. */
const MAX_SOCKET_PATH_BYTES = 98;

/** Returns the paths below a root; creates nothing. */
export function embeddedHomeAt(root: string, name: string): EmbeddedHome {
  return {
    name,
    root,
    cluster: join(root, 'cluster'),
    run: join(root, 'run'),
    postgresLog: join(root, 'postgres.log'),
    supervisorLog: join(root, 'supervisor.log'),
    passwordFile: join(root, 'password'),
  };
}

/**
 * Creates missing directories of the embedded PostgreSQL, readable by their owner only. The returned paths are real paths, so they are the
 * same for every symlink.
 *
 * @throws EmbeddedPostgresError `directory_not_accessible`, or `directory_damaged` if a file has the name of the directory
 */
export function createHome(directory: string, name: string): EmbeddedHome {
  const root = resolve(directory);
  try {
    createDirectories(root, 0o700);
    const home = embeddedHomeAt(realpathSync(root), name);
    createDirectories(home.run, 0o700);
    accessSync(home.run, constants.R_OK | constants.W_OK | constants.X_OK);
    return home;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new EmbeddedPostgresError('directory_damaged', `${root} is not a directory`, { cause: error });
    }
    throw notAccessible(root, error);
  }
}

export function notAccessible(directory: string, cause: unknown): EmbeddedPostgresError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EmbeddedPostgresError(
    'directory_not_accessible',
    `the data directory ${directory} cannot be used by this user (${reason})`,
    { cause },
  );
}

/**
 * Returns the directory of the sockets, existing and mode 0700. It is in the data directory. If that path is too long for a socket, it is
 * under the temporary directory, named by a hash of the path.
 *
 * @param previous the last directory. It is kept while it still belongs to this user, so that clients find the sockets.
 */
export function prepareSocketDirectory(home: EmbeddedHome, temporary: string, previous?: string): string {
  if (Buffer.byteLength(join(home.run, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH_BYTES) return home.run;
  const name = `${home.name}-${createHash('sha256').update(realpathSync(home.root)).digest('hex').slice(0, 16)}`;
  const candidates = [join(temporary, name)];
  if (previous && basename(previous).startsWith(name)) candidates.unshift(previous);
  for (const candidate of candidates) {
    if (isPrivateDirectory(candidate)) return candidate;
  }
  // Another user has created a directory of that name, so a random name is used.
  return mkdtempSync(join(temporary, `${name}-`));
}

export function socketDirectoryOf(address: string): string {
  return dirname(address);
}

function isPrivateDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') return false;
  }
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== process.geteuid?.()) return false;
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return true;
}
