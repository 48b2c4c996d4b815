/** Timeout for hanging tests, not a speed limit. */
const PATIENCE_MS = 60_000;

/** Waits until a value is truthy and returns it. @throws Error with `what` after the timeout. */
export async function until(holds, what, patienceMs = PATIENCE_MS) {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await holds();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
