/**
 * `npm run content [-- --posts 5000 --seconds 5 --connections 64 --rounds 1 --only get --profile <directory>]`: the blog example. A post by its id, and a list
 * of 20 with category and tags expanded and a filter, without and with its total; beside each a bare `node:http` server with
 * the same statement, in the same run. Build first (`npm run build`); limits are off.
 */
import { parseArgs } from 'node:util';
import { startChild } from './child.mjs';
import { compare } from './compare.mjs';
import { report, reportHead } from './report.mjs';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
});
const settings = {
  connections: Number(values.connections),
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
};
const LIST = `/api/content/posts?${new URLSearchParams({
  select: 'id,title,slug,views,published_at,category.name,tags.name',
  filter: '{"status":"published","views":{"$gte":10}}',
  sort: '-published_at',
  limit: '20',
})}`;

const paths = [`${LIST}&count=none`, LIST];
const product = await startChild('./server.mjs', {
  profileDir: values.profile,
  input: { resources: ['content.*'], posts: Number(values.posts), capture: paths },
});
const { address, poolSize, statements, ids } = product;
const bare = await startChild('./bare-content.mjs', {
  profileDir: values.profile && `${values.profile}/bare`,
  input: { address, poolSize, statements, id: ids[0] },
});
const headers = { authorization: `Bearer ${product.token}` };
const ROUTES = [
  { name: 'get', product: ids.map((id) => `/api/content/posts/${id}`), bare: ids.map((id) => `/0/${id}`) },
  { name: 'list', product: [paths[0]], bare: ['/1'] },
  { name: '+ total', product: [paths[1]], bare: ['/2'] },
];

try {
  console.log(`${values.posts} posts, ${values.connections} connections, ${values.seconds} s each\n`);
  reportHead();
  for (const route of ROUTES.filter(({ name }) => values.only === undefined || name === values.only)) {
    const sides = [side(product, route.product, headers), side(bare, route.bare, {})];
    report(route.name, ...(await compare(sides, settings)));
  }
} finally {
  await bare.stop();
  await product.stop();
}

/** Every connection goes round the paths. */
function side(server, all, extra) {
  return { server, options: { url: server.base, headers: extra, requests: all.map((path) => ({ path })) } };
}
