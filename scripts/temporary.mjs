import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const ROOM_BYTES = 6 * 1024 ** 3;

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(temporaryFolder());

/**
 * Returns the directory for temporary test files: TEST_TMPDIR, else memory if there is room, else the system's directory. Otherwise servers
 * and services of tests would wait for a shared disk.
 */
export function temporaryFolder() {
  return process.env.TEST_TMPDIR || (hasMemory() ? MEMORY : tmpdir());
}

/** Returns whether /dev/shm is a writable tmpfs that allows execution and has enough room, with enough free memory. */
function hasMemory() {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === MEMORY);
    accessSync(MEMORY, constants.W_OK);
    const hasRoom = Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
    return type === TMPFS && hasRoom && mount !== undefined && !/\bnoexec\b/.test(mount);
  } catch {
    return false;
  }
}
