import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/** As whom, and through which programs, a command is run. */
export interface LaunchIdentity {
  /** put before the command */
  readonly prefix: readonly string[];
  /** the user to become, when the starting one is root */
  readonly become?: UserIds;
  /** to whom the data must belong for that */
  readonly owner?: UserIds;
}

/** Situation in which an identity is searched for; the real world by default. */
export interface LaunchSituation {
  /** the effective user, undefined on Windows */
  readonly uid: number | undefined;
  /** the owner of the data */
  readonly dataOwner: UserIds;
  /** the owner of the directory around it */
  readonly parentOwner: UserIds;
  /** whether the system knows a name for the user (`initdb` refuses without) */
  readonly hasName: boolean;
}

const PREFERRED_UID = 1000;
const NOBODY: UserIds = { uid: 65_534, gid: 65_534 };
/** for programs: nothing of the starter's environment is handed on */
export const MINIMAL_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Returns the ways to run PostgreSQL, which refuses uid 0, from best to last resort.
 *
 * As root: in a user namespace in which root has another number, so that files keep their owner; else as an ordinary user
 * to whom the data is given; else as that user with root's right to pass closed directories, which is no more than
 * the first way has. Data that belongs to an ordinary user already is served as that user, so that they can take over.
 */
export function identityCandidates({ uid, dataOwner, parentOwner, hasName }: LaunchSituation): LaunchIdentity[] {
  const plain = { prefix: [] };
  if (uid === undefined) return [plain];
  if (uid !== 0) return hasName ? [plain] : [inUserNamespace(), plain];
  if (dataOwner.uid !== 0) return asOrdinaryUser(dataOwner);
  return [inUserNamespace(), ...asOrdinaryUser(parentOwner.uid === 0 ? NOBODY : parentOwner)];
}

/** Returns the situation of this process and this data directory. */
export function currentSituation(root: string): LaunchSituation {
  return {
    uid: process.geteuid?.(),
    dataOwner: statSync(root),
    parentOwner: statSync(dirname(root)),
    hasName: hasName(),
  };
}

/** Returns whether a command can be run this way, as an ordinary user, and whether it can read these files and pass these directories. */
export function canLaunch({ prefix, become }: LaunchIdentity, paths: readonly string[]): boolean {
  if (prefix.length === 0 && !become) return true;
  const script = '[ "$(id -u)" != 0 ] || exit 1; for path; do [ -r "$path" ] || [ -x "$path" ] || exit 1; done';
  const [command = '', ...args] = [...prefix, '/bin/sh', '-c', script, 'sh', ...paths];
  return (
    spawnSync(command, args, { ...idsOf(become), cwd: '/', env: MINIMAL_ENVIRONMENT, stdio: 'ignore' }).status === 0
  );
}

/** Returns only the two numbers, of something that may hold more. */
function idsOf(user: UserIds | undefined): UserIds | undefined {
  return user && { uid: user.uid, gid: user.gid };
}

function inUserNamespace(): LaunchIdentity {
  const id = mappedUid();
  return { prefix: ['unshare', '--user', `--map-user=${id}`, `--map-group=${id}`, '--'] };
}

function asOrdinaryUser(owner: UserIds): LaunchIdentity[] {
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const passage = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return [
    { prefix: [], become: idsOf(owner), owner: idsOf(owner) },
    { prefix: ['setpriv', ...ids, ...passage, '--'], owner: idsOf(owner) },
  ];
}

/** Returns 1000, or, if no user has this number (`initdb` wants a name), that of nobody. */
function mappedUid(): number {
  try {
    return readFileSync('/etc/passwd', 'utf8').includes(`:x:${PREFERRED_UID}:`) ? PREFERRED_UID : NOBODY.uid;
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
