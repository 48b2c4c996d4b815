import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownIdentity } from './process-identity.js';
import { latestLockOwner, acquireStartLock } from './start-lock.js';

describe('the start lock', () => {
  let directory: string;
  const locks = (): string[] => readdirSync(directory).sort();
  const leave = (generation: number, owner: object | string): void =>
    writeFileSync(join(directory, `lock.${generation}`), typeof owner === 'string' ? owner : JSON.stringify(owner));

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'embedded-postgres-lock-'));
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  it('is acquired once, and contains the address of its owner', () => {
    expect(latestLockOwner(directory)).toBeNull();
    expect(acquireStartLock(directory, '/first')).toBe(true);
    expect(acquireStartLock(directory, '/second')).toBe(false);
    expect(latestLockOwner(directory)).toEqual({ ...ownIdentity(), address: '/first' });
    expect(locks()).toEqual(['lock.1']);
  });

  it('is taken over from a process that has ended', () => {
    leave(6, { pid: 2 ** 30, birth: 'long ago', address: '/dead' });
    expect(acquireStartLock(directory, '/mine')).toBe(true);
    expect(locks()).toEqual(['lock.7']);
  });

  it('is taken over when the pid of its owner was reused', () => {
    leave(6, { pid: process.pid, birth: 'long ago', address: '/dead' });
    expect(acquireStartLock(directory, '/mine')).toBe(true);
    expect(latestLockOwner(directory)?.address).toBe('/mine');
  });

  it.each(['', '{', 'null', '{"pid":"1"}'])('is taken over from a file without an owner: %j', (content) => {
    leave(3, content);
    expect(acquireStartLock(directory, '/mine')).toBe(true);
    expect(locks()).toEqual(['lock.4']);
  });

  it('is not acquired by a contender that read an outdated owner', () => {
    // The contender read lock.6 of a dead process. Meanwhile other processes took locks 7 and 8 and removed the older ones.
    leave(8, { ...ownIdentity(), address: '/living' });
    leave(6, { pid: 2 ** 30, birth: 'long ago', address: '/dead' });
    expect(acquireStartLock(directory, '/late')).toBe(false);
    expect(JSON.parse(readFileSync(join(directory, 'lock.8'), 'utf8'))).toMatchObject({ address: '/living' });
  });

  it('leaves no draft', () => {
    leave(1, { ...ownIdentity(), address: '/living' });
    writeFileSync(join(directory, 'draft.of-a-dead-process'), '');
    expect(acquireStartLock(directory, '/mine')).toBe(false);
    leave(1, '');
    expect(acquireStartLock(directory, '/mine')).toBe(true);
    expect(locks()).toEqual(['lock.2']);
  });
});
