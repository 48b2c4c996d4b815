/**
 * `npm run keys [-- --seconds 4 --connections 64 --rounds 7 --posts 1000]`: sends the same request with a session token, an API key, and an
 * API key with scopes, in turns on one server.
 * Requests: an empty guarded route, and a post by its id. Ratios are medians over the rounds, relative to the token in the same round. The
 * processor time ratio is reliable even on a busy machine. Build first (`npm run build`); rate limits are off.
 */
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { inTurns } from './compare.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '7' },
    posts: { type: 'string', default: '1000' },
    profile: { type: 'string' },
  },
});
const LEAST = 0.95;
const settings = {
  connections: Number(values.connections),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
};

const input = { resources: ['content.*'], posts: Number(values.posts) };
const server = await startChild('./server.mjs', { input, profileDir: values.profile });
try {
  const bearers = {
    'session token': server.token,
    'API key': await makeKey(),
    'key with scopes': await makeKey([{ resource: 'bench.*' }, { resource: 'content.post.*' }]),
  };
  const least = [];
  console.log(`${settings.connections} connections, ${settings.rounds} rounds of ${settings.seconds} s in turns\n`);
  row('', '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req', 'ratio', 'of CPU');
  for (const [name, path] of [
    ['guarded', '/bench/guarded'],
    ['post', `/api/content/posts/${server.ids[0]}`],
  ]) {
    const sides = Object.values(bearers).map((bearer) => ({
      server,
      options: { url: server.base + path, headers: { authorization: `Bearer ${bearer}` } },
    }));
    const [tokens, ...keys] = await inTurns(sides, settings);
    for (const [at, rounds] of [tokens, ...keys].entries()) {
      const ratio = median(rounds.map(({ perSecond }, round) => perSecond / tokens[round].perSecond));
      const ofCpu = median(rounds.map(({ cpu }, round) => tokens[round].cpu / cpu));
      if (at > 0) least.push(ratio);
      const cells = ['perSecond', 'p50', 'p99', 'cpu'].map((member) => median(rounds.map((round) => round[member])));
      const numbers = cells.map((cell) => Math.round(10 * cell) / 10);
      row(at === 0 ? name : '', Object.keys(bearers)[at], ...numbers, percent(ratio), percent(ofCpu));
    }
  }
  const worst = Math.min(...least);
  console.log(
    `\nkeys: ${percent(worst)} at least, ${percent(LEAST)} required: ${worst >= LEAST ? 'good' : 'TOO SLOW'}`,
  );
  if (worst < LEAST) process.exitCode = 1;
} finally {
  await server.stop();
}

async function makeKey(scopes) {
  const response = await fetch(`${server.base}/api/auth/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', ...(scopes && { scopes }) }),
  });
  const { data } = await response.json();
  if (!response.ok) throw new Error(`No key: ${response.status}`);
  return data.key;
}

function median(numbers) {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

function row(name, side, ...cells) {
  console.log(name.padEnd(9) + side.padEnd(17) + cells.map((cell) => String(cell).padStart(12)).join(''));
}
