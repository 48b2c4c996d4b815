import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.mjs';
import { until } from './until.mjs';
import { PASSWORD } from './world.mjs';

const EXAMPLE = 'examples/blog';
const AUTO = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });
const ADMIN = 'editor@example.com';
/** Limits per file and per account, in bytes. Both are below the limits of the field, so that they apply. */
const BOUNDS = { FILES_MAX_SIZE: '4000000', FILES_QUOTA: '2500000' };

/** Sets up the blog example as in its README, with posts, and returns the URL of its pages. Once per run. */
export async function startBlog(world, posts) {
  world.blog ??= await prepare(world, posts);
  return world.blog;
}

async function prepare(world, posts) {
  const service = await world.start({ AUTH: AUTO, ...BOUNDS });
  const cli = (...args) => service.run('dist/program/cli.js', ...args);
  await cli('schema:apply', `${EXAMPLE}/schemas`);
  await cli('roles:seed', '--file', `${EXAMPLE}/roles.json`);
  await cli('admin:create', '--email', ADMIN, '--password', PASSWORD);
  const account = ['--login', ADMIN, '--password', PASSWORD];
  const seed = () => service.run(`${EXAMPLE}/seed.mjs`, '--url', service.url, ...account, '--posts', String(posts));
  await seed();
  await seed();
  return servePages(service);
}

async function servePages(service) {
  const script = fileURLToPath(new URL(`../../../${EXAMPLE}/serve.mjs`, import.meta.url));
  let text = '';
  startChild(join(script), { args: ['--url', service.url, '--port', '0'], onText: (more) => (text += more) });
  return until(() => /http:\/\/localhost:\d+(?=,)/.exec(text)?.[0], 'the pages of the blog');
}
