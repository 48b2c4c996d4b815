/**
 * `npm run hooks [-- --posts 1000 --seconds 5 --connections 16 --rounds 3]`: measures creating and changing posts without hooks, with hooks
 * on other schemas (which must cost nothing), and with hooks before and after writes of posts.
 * The three services run in turns, each with a separate database; ratios are relative to the first. Build first (`npm run build`); rate
 * limits are off.
 */
import { parseArgs } from 'node:util';
import { fill, REQUESTS } from './blog-requests.mjs';
import { startChild } from './child.mjs';
import { compare } from './compare.mjs';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
  },
});
const { connections, seconds, rounds } = values;
const settings = { connections: Number(connections), seconds: Number(seconds), rounds: Number(rounds) };
const HOOKED_SCHEMAS = { 'no hooks': [], 'of others': ['author', 'category', 'tag'], 'of posts': ['post'] };
let words = 0;

const servers = [];
try {
  for (const hooks of Object.values(HOOKED_SCHEMAS)) {
    const input = { resources: ['content.*'], posts: Number(values.posts), hooks };
    servers.push(await startChild('./server.mjs', { input }));
  }
  row('', 'hooks', 'req/s', 'CPU µs/req', 'req/s', 'CPU');
  for (const name of ['create', 'patch']) {
    const results = await compare(
      servers.map((server) => side(server, REQUESTS[name])),
      settings,
    );
    for (const [at, { perSecond, cpu }] of results.entries())
      row(
        at === 0 ? name : '',
        Object.keys(HOOKED_SCHEMAS)[at],
        perSecond,
        cpu.toFixed(0),
        percent(perSecond / results[0].perSecond),
        percent(cpu / results[0].cpu),
      );
  }
} finally {
  for (const server of servers) await server.stop();
}

function side(server, request) {
  const { base, token, ids, some } = server;
  const next = () => {
    words += 1;
    return fill(request, { ...some, id: ids[words % ids.length], new: `bench-${words}` });
  };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const requests = [{ ...next(), setupRequest: (before) => ({ ...before, ...next() }) }];
  return { server, options: { url: base, headers, requests } };
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function row(name, side, ...cells) {
  console.log(name.padEnd(9) + side.padEnd(12) + cells.map((cell) => String(cell).padStart(12)).join(''));
}
