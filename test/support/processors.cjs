/**
 * Appends the processor seconds of a run to the file TEST_PROFILE, as JSON lines; `scripts/test.mjs` adds them up. Only Linux reports the
 * times of ended processes and of other processes.
 */
const { appendFileSync, readdirSync, readFileSync } = require('node:fs');

/** USER_HZ, the unit of /proc times. It is the same on all machines that Node supports. */
const TICKS_A_SECOND = 100;
const { TEST_PROFILE } = process.env;

/** Returns the processor seconds of a process and of its ended children; 0 if unknown. */
function secondsOf(pid = 'self') {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_A_SECOND;
  } catch {
    return 0;
  }
}

/** Returns the processor seconds of a process and its running descendants, such as a database server with its sessions. */
function secondsOfTree(pid) {
  let children = [];
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    children = threads.flatMap(
      (thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').match(/\d+/g) ?? [],
    );
  } catch {
    // The process has ended, or the system is not Linux.
  }
  return children.reduce((sum, child) => sum + secondsOfTree(child), secondsOf(pid));
}

function note(kind, name, seconds) {
  if (TEST_PROFILE) appendFileSync(TEST_PROFILE, `${JSON.stringify({ kind, name, ...seconds })}\n`);
}

module.exports = { note, secondsOf, secondsOfTree };
