import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

export interface LaunchIdentity {
  /** Arguments before the command, such as those of `setpriv`. */
  readonly prefix: readonly string[];
  /** The user to switch to, if the current one is root. */
  readonly become?: UserIds;
  readonly owner?: UserIds;
}

export interface LaunchSituation {
  /** The effective user; undefined on Windows. */
  readonly uid: number | undefined;
  readonly dataOwner: UserIds;
  readonly parentOwner: UserIds;
  /** Whether the user has a name, which `initdb` requires. */
  readonly hasName: boolean;
}

const PREFERRED_UID = 1000;
const NOBODY_IDS: UserIds = { uid: 65_534, gid: 65_534 };
/** For child processes: nothing of this environment is inherited. */
export const MINIMAL_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Returns the ways to run PostgreSQL, which rejects uid 0, in order of preference.
 *
 * As root:
 *
 * 1. in a user namespace that maps root to another number, so that files keep their owner;
 * 2. as an ordinary user who becomes the owner of the data;
 * 3. as that user with the capability that bypasses directory permissions, which is no more than the user namespace allows.
 *
 * Data of an ordinary user is always served as that user, so that the user can start the server without root later.
 */
export function identityCandidates({ uid, dataOwner, parentOwner, hasName }: LaunchSituation): LaunchIdentity[] {
  const plain = { prefix: [] };
  if (uid === undefined) return [plain];
  if (uid !== 0) return hasName ? [plain] : [inUserNamespace(), plain];
  if (dataOwner.uid !== 0) return asOrdinaryUser(dataOwner);
  return [inUserNamespace(), ...asOrdinaryUser(parentOwner.uid === 0 ? NOBODY_IDS : parentOwner)];
}

export function currentSituation(root: string): LaunchSituation {
  return {
    uid: process.geteuid?.(),
    dataOwner: statSync(root),
    parentOwner: statSync(dirname(root)),
    hasName: hasName(),
  };
}

/** Returns whether a command can run this way as an ordinary user, who can read the files and traverse the directories. */
export function canLaunch({ prefix, become }: LaunchIdentity, paths: readonly string[]): boolean {
  if (prefix.length === 0 && !become) return true;
  const script = '[ "$(id -u)" != 0 ] || exit 1; for path; do [ -r "$path" ] || [ -x "$path" ] || exit 1; done';
  const [command = '', ...args] = [...prefix, '/bin/sh', '-c', script, 'sh', ...paths];
  return (
    spawnSync(command, args, { ...idsOf(become), cwd: '/', env: MINIMAL_ENVIRONMENT, stdio: 'ignore' }).status === 0
  );
}

/** Copies only the two ids, because spawn options are spread from the result. */
function idsOf(user: UserIds | undefined): UserIds | undefined {
  return user && { uid: user.uid, gid: user.gid };
}

function inUserNamespace(): LaunchIdentity {
  const id = mappedUid();
  return { prefix: ['unshare', '--user', `--map-user=${id}`, `--map-group=${id}`, '--'] };
}

function asOrdinaryUser(owner: UserIds): LaunchIdentity[] {
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const capabilities = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return [
    { prefix: [], become: idsOf(owner), owner: idsOf(owner) },
    { prefix: ['setpriv', ...ids, ...capabilities, '--'], owner: idsOf(owner) },
  ];
}

/** Returns 1000 if a user has this number, because `initdb` requires a name, or else the uid of nobody. */
function mappedUid(): number {
  try {
    return readFileSync('/etc/passwd', 'utf8').includes(`:x:${PREFERRED_UID}:`) ? PREFERRED_UID : NOBODY_IDS.uid;
  } catch {
    return PREFERRED_UID;
  }
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}
