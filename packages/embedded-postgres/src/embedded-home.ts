import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeDirectories } from './make-directories.js';
import { EmbeddedPostgresError, errnoOf } from './embedded-postgres.errors.js';

/** Home of the embedded PostgreSQL of an application: all of it under one directory. */
export interface EmbeddedHome {
  /** the application, as its role and its database are called */
  readonly name: string;
  /** absolute, mode 0700 */
  readonly root: string;
  /** PostgreSQL's own data directory */
  readonly cluster: string;
  /** the start lock and, where its path is short enough, the sockets */
  readonly run: string;
  readonly postgresLog: string;
  readonly supervisorLog: string;
  /** only if PostgreSQL listens on TCP (Windows): the password of all roles */
  readonly passwordFile: string;
}

/** A path of a unix socket holds 103 bytes on macOS and 107 on Linux; PostgreSQL's lock file needs five more. */
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
 * Creates the directories of the embedded PostgreSQL, where they are missing, readable by their owner
 * alone. The paths of the answer are real ones, the same for everybody who came by another link.
 *
 * @throws EmbeddedPostgresError `directory_not_accessible` or `directory_damaged` (a file stands in the way)
 */
export function createHome(directory: string, name: string): EmbeddedHome {
  const root = resolve(directory);
  try {
    makeDirectories(root, 0o700);
    const home = embeddedHomeAt(realpathSync(root), name);
    makeDirectories(home.run, 0o700);
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

/** Returns the error for a directory that the system refuses to this user. */
export function notAccessible(directory: string, cause: unknown): EmbeddedPostgresError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EmbeddedPostgresError(
    'directory_not_accessible',
    `the data directory ${directory} cannot be used by this user (${reason})`,
    { cause },
  );
}

/**
 * Returns the directory for the sockets, existing and mode 0700: inside the data directory, or, where that path is too long for a
 * socket, one under the temporary directory that is named after a hash of it.
 *
 * @param previous the directory that was used last time; kept while it is still ours, so that clients find it again
 */
export function prepareSocketDirectory(home: EmbeddedHome, temporary: string, previous?: string): string {
  if (Buffer.byteLength(join(home.run, '.s.PGSQL.5432')) <= MAX_SOCKET_PATH_BYTES) return home.run;
  const name = `${home.name}-${createHash('sha256').update(realpathSync(home.root)).digest('hex').slice(0, 16)}`;
  const candidates = [join(temporary, name)];
  if (previous && basename(previous).startsWith(name)) candidates.unshift(previous);
  for (const candidate of candidates) {
    if (isPrivateDirectory(candidate)) return candidate;
  }
  // Somebody else made a directory of that name: ours gets a random one.
  return mkdtempSync(join(temporary, `${name}-`));
}

/** Returns the directory in which a lease socket of this address lies. */
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
