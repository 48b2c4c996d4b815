import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 20;

/**
 * Requests a URL at a steady pace while the work runs, without waiting for earlier responses. Returns the result of the work, its duration
 * in ms, and the sorted probe times in ms. Throws if a probe is rejected.
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
