import { report } from '../../scripts/results.mjs';

let passed = 0;
let failed = 0;

/** Checks one thing that must hold, tells and counts whether it does, and answers what the check answered. */
export async function promise(name, check) {
  const begin = performance.now();
  try {
    const answer = await check();
    passed += 1;
    console.log(`ok   ${name} (${Math.round(performance.now() - begin)} ms)`);
    return answer;
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.message}`);
    return undefined;
  }
}

/** Tells what was counted, and ends the program: with a fault where one of the promises does not hold. */
export function finish(name) {
  report(name, passed, failed);
  process.exit(failed === 0 ? 0 : 1);
}
