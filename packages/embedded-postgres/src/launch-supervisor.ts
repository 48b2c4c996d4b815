import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fchownSync, lchownSync, openSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyForEverybody } from './binaries-copy.js';
import { locateBinaries, programPath } from './binaries.js';
import { boundLog } from './bounded-log.js';
import type { EmbeddedHome } from './embedded-home.js';
import { EmbeddedPostgresError } from './embedded-postgres.errors.js';
import { canLaunch, currentSituation, identityCandidates, MINIMAL_ENVIRONMENT } from './launch-identity.js';
import type { LaunchIdentity } from './launch-identity.js';

export interface LaunchOptions {
  /** Path of the compiled supervisor, if it is not next to this file. */
  readonly supervisor?: string;
  readonly identities?: readonly LaunchIdentity[];
}

const BESIDE = join(dirname(fileURLToPath(import.meta.url)), 'supervisor.js');

/**
 * Starts a supervisor for this data directory, in its own session and with a minimal environment. It exits immediately if another
 * supervisor has the start lock.
 *
 * @throws EmbeddedPostgresError `platform_unsupported`, `user_refused` or `start_failed`
 */
export function launchSupervisor(
  home: EmbeddedHome,
  { supervisor = BESIDE, identities = identityCandidates(currentSituation(home.root)) }: LaunchOptions = {},
): ChildProcess {
  if (!existsSync(supervisor)) throw new EmbeddedPostgresError('start_failed', `${supervisor} is missing`);
  const { directory, majorVersion } = locateBinaries(home.root);
  const paths = [process.execPath, supervisor, dirname(home.root)];
  const identity = identities.find((candidate) =>
    canLaunch(candidate, candidate.owner ? paths : [...paths, programPath(directory, 'postgres')]),
  );
  if (!identity) throw cannotRunAsRoot(home);
  if (identity.owner) chownData(home.root, identity.owner);

  const log = openLog(home, identity);
  const [command, ...args] = [...identity.prefix, process.execPath, supervisor];
  args.push('--root', home.root, '--name', home.name, '--temporary', tmpdir());
  args.push('--binaries', reachableBinaries(directory, identity), '--major-version', String(majorVersion));
  const child = spawn(command, args, {
    ...identity.become,
    cwd: '/',
    detached: true,
    env: MINIMAL_ENVIRONMENT,
    stdio: ['ignore', 'ignore', log],
    windowsHide: true,
  });
  closeSync(log);
  // A failed start is reported by the exit code of the child.
  child.on('error', () => undefined);
  child.unref();
  return child;
}

function reachableBinaries(directory: string, { owner }: LaunchIdentity): string {
  if (!owner || canLaunch({ prefix: [], become: owner }, [programPath(directory, 'postgres')])) return directory;
  return copyForEverybody(directory, tmpdir());
}

function openLog(home: EmbeddedHome, identity: LaunchIdentity): number {
  boundLog(home.supervisorLog);
  const log = openSync(home.supervisorLog, 'a', 0o600);
  if (identity.owner) fchownSync(log, identity.owner.uid, identity.owner.gid);
  return log;
}

/** Changes the owner of the data directory. The root is changed last, to mark that everything below is complete. */
function chownData(path: string, owner: NonNullable<LaunchIdentity['owner']>): void {
  const complete = statSync(path).uid === owner.uid;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory() && !complete) chownData(child, owner);
    else lchownSync(child, owner.uid, owner.gid);
  }
  lchownSync(path, owner.uid, owner.gid);
}

function cannotRunAsRoot(home: EmbeddedHome): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'user_refused',
    `PostgreSQL does not run as root, and here neither unshare nor setpriv can start it for ${home.root} as another user`,
  );
}
