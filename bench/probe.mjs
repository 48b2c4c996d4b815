import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 20;

/**
 * Asks for an address at a steady pace, whether or not the answers before have come, while the work runs. Answers the
 * result of the work, how long it took in ms, and the times of the probes in ms, sorted. A refused probe throws.
 */
export async function probeDuring(url, headers, work) {
  const times = [];
  const failures = [];
  const probe = async () => {
    const start = performance.now();
    const response = await fetch(url, { headers });
    const text = await response.text();
    times.push(performance.now() - start);
    if (response.status !== 200) failures.push(`${response.status} ${text}`);
  };
  const start = performance.now();
  let isDone = false;
  const running = work().finally(() => (isDone = true));
  const probes = [];
  while (!isDone) {
    probes.push(probe());
    await Promise.race([delay(EVERY_MS), running]);
  }
  const result = await running;
  const took = performance.now() - start;
  await Promise.all(probes);
  if (failures.length > 0) throw new Error(`${failures.length} of ${times.length} failed: ${failures[0]}`);
  return { result, took, times: times.toSorted((left, right) => left - right) };
}
