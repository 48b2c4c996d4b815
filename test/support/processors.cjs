/**
 * Notes the processor seconds of a run in the file that TEST_PROFILE names, a line of JSON each; `scripts/test.mjs` sums them up.
 * Only Linux tells them of processes that have ended, and of others.
 */
const { appendFileSync, readdirSync, readFileSync } = require('node:fs');

/** Of a process, in /proc: USER_HZ, which is the same on every machine that Node runs on. */
const TICKS_A_SECOND = 100;
const { TEST_PROFILE } = process.env;

/** Returns the seconds that a process has taken, with its children that have ended and were waited for; 0 where nobody tells. */
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

/** Returns the seconds of a process and of those that it has started and still has, such as a database server with its sessions. */
function secondsOfTree(pid) {
  let children = [];
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    children = threads.flatMap(
      (thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').match(/\d+/g) ?? [],
    );
  } catch {
    // It has ended, or this is no Linux.
  }
  return children.reduce((sum, child) => sum + secondsOfTree(child), secondsOf(pid));
}

/** Writes down what something has cost, with the kind of tests that it belongs to. */
function note(kind, name, seconds) {
  if (TEST_PROFILE) appendFileSync(TEST_PROFILE, `${JSON.stringify({ kind, name, ...seconds })}\n`);
}

module.exports = { note, secondsOf, secondsOfTree };
