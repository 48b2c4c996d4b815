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

const COMPILED_SUPERVISOR = join('..', '..', 'dist', 'packages', 'embedded-postgres', 'src', 'supervisor.js');

/**
 * Starts a supervisor for this data directory, in a session of its own and with an environment that holds nothing of the
 * starter's. It ends at once when another one has the start lock.
 *
 * @param identities the ways to run it, best first
 * @throws EmbeddedPostgresError `platform_unsupported` or `start_failed`
 */
export function launchSupervisor(
  home: EmbeddedHome,
  identities: LaunchIdentity[] = identityCandidates(currentSituation(home.root)),
): ChildProcess {
  const { directory, majorVersion } = locateBinaries(home.root);
  const supervisor = findSupervisor();
  const paths = [process.execPath, supervisor, dirname(home.root)];
  const identity = identities.find((candidate) =>
    canLaunch(candidate, candidate.owner ? paths : [...paths, programPath(directory, 'postgres')]),
  );
  if (!identity) throw cannotRunAsRoot(home);
  if (identity.owner) giveData(home.root, identity.owner);

  const log = openLog(home, identity);
  const [command, ...args] = [...identity.prefix, process.execPath, supervisor];
  args.push('--root', home.root, '--temporary', tmpdir());
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
  // A failure to start shows in the child's exit code, like one soon after.
  child.on('error', () => undefined);
  child.unref();
  return child;
}

function reachableBinaries(directory: string, { owner }: LaunchIdentity): string {
  if (!owner || canLaunch({ prefix: [], become: owner }, [programPath(directory, 'postgres')])) return directory;
  return copyForEverybody(directory, tmpdir());
}

/** The compiled supervisor: beside this file, or, when this file is TypeScript under test, in `dist`. */
function findSupervisor(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  const sibling = join(directory, 'supervisor.js');
  if (existsSync(sibling)) return sibling;
  while (!existsSync(join(directory, 'package.json')) && dirname(directory) !== directory)
    directory = dirname(directory);
  const compiled = join(directory, COMPILED_SUPERVISOR);
  if (existsSync(compiled)) return compiled;
  throw new EmbeddedPostgresError('start_failed', `${compiled} is missing: build the project first`);
}

function openLog(home: EmbeddedHome, identity: LaunchIdentity): number {
  boundLog(home.supervisorLog);
  const log = openSync(home.supervisorLog, 'a', 0o600);
  if (identity.owner) fchownSync(log, identity.owner.uid, identity.owner.gid);
  return log;
}

/** Gives the data directory to a user; its root last, as the sign that all of it is theirs. */
function giveData(path: string, owner: NonNullable<LaunchIdentity['owner']>): void {
  const complete = statSync(path).uid === owner.uid;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory() && !complete) giveData(child, owner);
    else lchownSync(child, owner.uid, owner.gid);
  }
  lchownSync(path, owner.uid, owner.gid);
}

function cannotRunAsRoot(home: EmbeddedHome): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'start_failed',
    `PostgreSQL does not run as root, and here neither unshare nor setpriv can start it for ${home.root} as another user: ` +
      'start Lintel as an ordinary user, put DATA_DIR where every user may pass, or set DATABASE_URL',
  );
}
