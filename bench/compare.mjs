import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';

const WARM_UP_SECONDS = 2;
/** Number of requests until the code is compiled. On a busy machine this takes many seconds. */
const WARM_UP_REQUESTS = 20_000;

/**
 * Loads servers in turns and returns the best round of each. Sides are `{ server, options }` with options of autocannon. Figures: requests
 * per second, p50 and p99 in ms, processor time per request in µs. With `databaseTime` they include that of the database, with `layers` its
 * distribution ({@link stopSampling}). The first turn of each side warms up.
 */
export async function compare(sides, settings) {
  const results = await inTurns(sides, settings);
  const best = results.map((all) => all.toSorted((left, right) => right.perSecond - left.perSecond)[0]);
  if (settings.layers === true) await addLayers(best, sides, settings);
  return best;
}

/**
 * Loads two servers in turns for many short rounds, and returns the median of each figure. The first side also has the median `ratio` of
 * its requests per second to those of the other side in the same round. Other load on the machine affects both sides equally.
 */
export async function compareByRounds(sides, settings) {
  for (const { options } of sides)
    await autocannon({ connections: settings.connections, amount: WARM_UP_REQUESTS, ...options });
  const results = await inTurns(sides, settings);
  const medians = results.map((rounds) => {
    const figures = Object.keys(rounds[0]).map((name) => [name, median(rounds.map((round) => round[name]))]);
    return Object.fromEntries(figures);
  });
  const [first, second] = results;
  medians[0].ratio = median(first.map(({ perSecond }, round) => perSecond / second[round].perSecond));
  if (settings.layers === true) await addLayers(medians, sides, settings);
  return medians;
}

function median(numbers) {
  const sorted = numbers.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Adds the layers of a route. Sampling costs time, so the results are shares of the unsampled time. */
async function addLayers(results, sides, { connections, seconds }) {
  for (const [index, side] of sides.entries()) {
    await side.server.ask('sample');
    await measure(side, connections, seconds);
    results[index].layers = await side.server.ask('layers');
  }
}

/** Loads servers in turns like {@link compare}, and returns every round. Each round begins with another side. */
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

/** Waits until work of an earlier run has finished: connections end before the work that they requested. */
async function settle(server) {
  for (let turn = 0, used = Infinity; turn < 100 && used > 20_000; turn += 1) {
    const before = await server.cpuMicros();
    await delay(200);
    used = (await server.cpuMicros()) - before;
  }
}
