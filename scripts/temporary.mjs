import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const MEMORY = '/dev/shm';
/** As statfs(2) tells it. */
const TMPFS = 0x01021994;
/** Several times what a run has at once. */
const ROOM_BYTES = 6 * 1024 ** 3;

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(temporaryFolder());

/**
 * Answers where tests write for a while: where TEST_TMPDIR says, else in memory where there is room for it, else among the temporary
 * files of the system. Servers and services of tests wait for the disk otherwise, which a machine shares.
 */
export function temporaryFolder() {
  return process.env.TEST_TMPDIR || (hasMemory() ? MEMORY : tmpdir());
}

/** Tells whether the system's folder in memory is one from which programs may be run, and has room, as the memory has. */
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
