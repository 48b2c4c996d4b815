import { appendFileSync } from 'node:fs';

/** Tells what a program has counted: in a line for people, and in a line of JSON in RESULTS_FILE, which `.ci/run` reads. */
export function report(name, passed, failed) {
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  const { RESULTS_FILE } = process.env;
  if (RESULTS_FILE) appendFileSync(RESULTS_FILE, `${JSON.stringify({ name, passed, failed })}\n`);
}
