import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';

const WARM_UP_SECONDS = 2;

/**
 * Loads servers in turns, `{ server, options }` each with the options of autocannon, and answers the best round of each:
 * requests a second, p50 and p99 in ms, processor time a request in µs, and with `databaseTime` that of the database besides; with `layers` where it goes ({@link stopSampling}).
 * The first turn of each warms up.
 */
export async function compare(sides, settings) {
  const results = await inTurns(sides, settings);
  const best = results.map((all) => all.toSorted((left, right) => right.perSecond - left.perSecond)[0]);
  if (settings.layers !== true) return best;
  // Sampling costs time: what it finds are shares of the time without it.
  for (const [index, side] of sides.entries()) {
    await side.server.ask('sample');
    await measure(side, settings.connections, settings.seconds);
    best[index].layers = await side.server.ask('layers');
  }
  return best;
}

/** Loads servers in turns as {@link compare} does, and answers every round of each. Each round begins with another side. */
export async function inTurns(sides, { connections, seconds, rounds, databaseTime }) {
  const results = sides.map(() => []);
  for (const side of sides) await measure(side, connections, WARM_UP_SECONDS, databaseTime);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < sides.length; turn += 1) {
      const index = (round + turn) % sides.length;
      results[index].push(await measure(sides[index], connections, seconds, databaseTime));
    }
  }
  return results;
}

async function measure({ server, options }, connections, duration, databaseTime) {
  await settle(server);
  const before = await server.cpuMicros();
  const databaseBefore = await databaseTime?.micros();
  const result = await autocannon({ connections, duration, ...options });
  const used = (await server.cpuMicros()) - before;
  const database = ((await databaseTime?.micros()) - databaseBefore) / result.requests.total;
  if (result.errors + result.timeouts + result.non2xx > 0) {
    const { errors, timeouts, non2xx } = result;
    throw new Error(`${options.url}: ${errors} errors, ${timeouts} timeouts, ${non2xx} refusals`);
  }
  const { requests, latency } = result;
  return {
    perSecond: Math.round(requests.average),
    p50: latency.p50,
    p99: latency.p99,
    cpu: used / requests.total,
    database,
  };
}

/** Waits until what an earlier run left behind is done: connections end before the work that they asked for does. */
async function settle(server) {
  for (let turn = 0, used = Infinity; turn < 100 && used > 20_000; turn += 1) {
    const before = await server.cpuMicros();
    await delay(200);
    used = (await server.cpuMicros()) - before;
  }
}
