import { report } from '../../scripts/results.mjs';

let passed = 0;
let failed = 0;

/** Runs a check, prints and counts the result, and returns the value of the check. */
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

export function finish(name) {
  report(name, passed, failed);
  process.exit(failed === 0 ? 0 : 1);
}
