import { randomUUID } from 'node:crypto';
import { chownSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from './embedded-postgres.errors.js';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.js';

export interface LockOwner extends ProcessIdentity {
  readonly address: string;
}

const POLL_MS = 10;
const LOCK_NAME = /^lock\.(\d+)$/;

/**
 * Takes the start lock for this process until it ends; returns whether it was free.
 *
 * The lock is the file `lock.N` with the highest N. It is valid while the process named in it runs. Taking over from a dead owner creates N
 * + 1, which only one of several contenders can do. The highest file is never deleted, so a contender that was suspended with an old N
 * finds a higher one when it checks again.
 */
export function acquireStartLock(directory: string, address: string): boolean {
  const last = newestLock(directory);
  if (last.owner && isRunning(last.owner)) return false;
  const generation = last.generation + 1;
  if (!createLock(directory, generation, { ...ownIdentity(), address })) return false;
  if (newestLock(directory).generation !== generation) {
    rmSync(lockPath(directory, generation), { force: true });
    return false;
  }
  removeOlder(directory, generation);
  return true;
}

/** Returns the latest owner of the start lock, running or not; null if there was none. */
export function latestLockOwner(directory: string): LockOwner | null {
  return newestLock(directory).owner;
}

export async function untilReleased(directory: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const owner = latestLockOwner(directory);
  while (owner && isRunning(owner) && Date.now() < deadline) await delay(POLL_MS);
}

/** Releases the start lock of this process, which continues to run. */
export function releaseStartLock(directory: string): void {
  const { generation, owner } = newestLock(directory);
  if (owner?.pid !== process.pid || !isRunning(owner)) return;
  // The file stays, and names no running process.
  const draft = join(directory, `draft.${randomUUID()}`);
  writeFileSync(draft, JSON.stringify({ ...owner, birth: '' }), { mode: 0o600 });
  const { uid, gid } = statSync(directory);
  if (process.geteuid?.() === 0) chownSync(draft, uid, gid);
  renameSync(draft, lockPath(directory, generation));
}

export function lockFileOf(directory: string): string {
  return lockPath(directory, newestLock(directory).generation);
}

function newestLock(directory: string): { generation: number; owner: LockOwner | null } {
  const generation = Math.max(0, ...generationsIn(directory));
  if (generation === 0) return { generation, owner: null };
  try {
    return { generation, owner: parseOwner(readFileSync(lockPath(directory, generation), 'utf8')) };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return newestLock(directory);
    throw error;
  }
}

function parseOwner(text: string): LockOwner | null {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner> | null;
    const { pid, birth, address } = owner ?? {};
    return typeof pid === 'number' && typeof birth === 'string' && typeof address === 'string'
      ? { pid, birth, address }
      : null;
  } catch {
    return null;
  }
}

/** Creates the lock with its whole content in one step, so that no process reads half of it. */
function createLock(directory: string, generation: number, owner: LockOwner): boolean {
  const draft = join(directory, `draft.${randomUUID()}`);
  try {
    writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
    linkSync(draft, lockPath(directory, generation));
    return true;
  } catch (error) {
    // Another contender has created it, or has won and deleted our draft.
    if (errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function removeOlder(directory: string, generation: number): void {
  for (const older of generationsIn(directory)) {
    if (older < generation) rmSync(lockPath(directory, older), { force: true });
  }
  for (const name of readdirSync(directory)) {
    if (name.startsWith('draft.')) rmSync(join(directory, name), { force: true });
  }
}

function generationsIn(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const match = LOCK_NAME.exec(name);
    return match ? [Number(match[1])] : [];
  });
}

function lockPath(directory: string, generation: number): string {
  return join(directory, `lock.${generation}`);
}
