/** Ends what hangs; it is no bound of speed. */
const PATIENCE_MS = 60_000;

/** Waits until something holds, and answers what it answered; fails after a long while, saying what was missing. */
export async function until(holds, what, patienceMs = PATIENCE_MS) {
  const end = performance.now() + patienceMs;
  for (;;) {
    const answer = await holds();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
