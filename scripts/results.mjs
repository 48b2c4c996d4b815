import { appendFileSync } from 'node:fs';

/** Reports the counts of a program: as a line of text, and as a JSON line in RESULTS_FILE, which `.ci/run` reads. */
export function report(name, passed, failed) {
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  const { RESULTS_FILE } = process.env;
  if (RESULTS_FILE) appendFileSync(RESULTS_FILE, `${JSON.stringify({ name, passed, failed })}\n`);
}
