#!/usr/bin/env node
/**
 * Fills the blog over the HTTP API: authors, categories, tags, covers, and 10,000 posts with three tags each.
 *
 *   LINTEL_PASSWORD=… node examples/blog/seed.mjs --login you@example.com [--url …] [--posts 10000]
 *
 * The account must be allowed to create records of all four schemas and to upload files, such as an administrator. Existing records are
 * kept, so a second run creates nothing.
 */
import { parseArgs } from 'node:util';
import { AUTHORS, CATEGORIES, postOf, TAGS } from './seed-data.mjs';
import { COVERS, drawCover } from './seed-covers.mjs';

/** Records of one request, which creates all or none. The limits are 1,000 records and 1 MiB. */
const BATCH = 500;

const HELP = `Fills the blog over the HTTP API of a running service.

  LINTEL_PASSWORD=… node examples/blog/seed.mjs --login you@example.com

  --login <login>        an administrator (or LINTEL_LOGIN)
  --password <password>  prefer LINTEL_PASSWORD
  --url <url>            address of the service (or LINTEL_URL); default: http://localhost:8000, or PORT
  --posts <number>       number of posts; default: 10000
`;
const OPTIONS = {
  url: { type: 'string', default: process.env.LINTEL_URL ?? `http://localhost:${process.env.PORT ?? 8000}` },
  login: { type: 'string', default: process.env.LINTEL_LOGIN },
  password: { type: 'string', default: process.env.LINTEL_PASSWORD },
  posts: { type: 'string', default: '10000' },
  help: { type: 'boolean', short: 'h', default: false },
};
let options;
let server;
let token;

try {
  options = parseArgs({ options: OPTIONS }).values;
  server = options.url.replace(/\/+$/, '');
  if (options.help) console.log(HELP);
  else await seed();
} catch (error) {
  console.error(`Seeding failed: ${reasonOf(error)}`);
  process.exitCode = 1;
}

function reasonOf({ message, cause }) {
  if (cause === undefined) return message;
  return `${server} cannot be reached (${cause.code ?? cause.message}). Use --url for another address.`;
}

async function seed() {
  if (!options.login || !options.password) throw new Error('set --login, and the password in LINTEL_PASSWORD');
  if (!/^\d{1,6}$/.test(options.posts)) throw new Error('--posts must be a number of up to six digits');
  ({ token } = await post('/api/auth/local/login', { login: options.login, password: options.password }));
  const authors = await idsOf('authors', 'email', AUTHORS);
  const categories = await idsOf('categories', 'name', CATEGORIES.map(named));
  const tags = await idsOf('tags', 'name', TAGS.map(named));
  const covers = await sentPictures();
  const record = (number) => {
    const words = postOf(number);
    const own = { author: authors[words.author], category: categories[words.category], cover: covers[words.cover] };
    return { ...words, ...own, tags: words.tags.map((index) => tags[index]) };
  };
  const wanted = Number(options.posts);
  for (let from = 0; from < wanted; from += BATCH) {
    const length = Math.min(BATCH, wanted - from);
    await makePosts(Array.from({ length }, (_, index) => record(from + index)));
    console.log(`${from + length} of ${wanted} posts exist.`);
  }
}

/** Returns the ids of records in their order, and creates missing ones. */
async function idsOf(schema, key, records) {
  const select = `id,${key}`;
  const known = new Map();
  for (const item of (await list(schema, { select, filter: among(key, records) })).items) known.set(item[key], item.id);
  const missing = records.filter((record) => !known.has(record[key]));
  if (missing.length > 0) {
    const { data } = await post(`/api/content/${schema}?${new URLSearchParams({ select })}`, missing);
    for (const item of data) known.set(item[key], item.id);
  }
  return records.map((record) => known.get(record[key]));
}

/** Returns the ids of the covers in their order. Missing ones are drawn and uploaded. */
async function sentPictures() {
  const { items } = await list('files', { select: 'id,name', filter: among('name', COVERS) });
  const known = new Map(items.map(({ id, name }) => [name, id]));
  for (const [number, { name }] of COVERS.entries())
    if (!known.has(name)) known.set(name, (await send(name, drawCover(number))).data.id);
  return COVERS.map(({ name }) => known.get(name));
}

/** Creates the posts of a batch whose slug does not exist. */
async function makePosts(posts) {
  const taken = new Set();
  const all = posts.map(({ slug }) => slug);
  for (let from = 0; from < all.length; from += 100) {
    const filter = { slug: { $in: all.slice(from, from + 100) } };
    for (const { slug } of (await list('posts', { select: 'slug', filter, with_deleted: 'true' })).items)
      taken.add(slug);
  }
  const missing = posts.filter(({ slug }) => !taken.has(slug));
  if (missing.length > 0) await post('/api/content/posts?select=id', missing);
}

function list(schema, { filter, ...rest }) {
  const query = new URLSearchParams({ limit: '100', count: 'none', filter: JSON.stringify(filter), ...rest });
  return get(`/api/content/${schema}?${query}`).then(({ data }) => data);
}

function among(key, records) {
  return { [key]: { $in: records.map((record) => record[key]) } };
}

function named(name) {
  return { name };
}

function get(path) {
  return read(fetch(server + path, { headers: headers() }));
}

function post(path, body) {
  return read(fetch(server + path, { method: 'POST', headers: headers(), body: JSON.stringify(body) }));
}

/** Uploads a file. The body is its content. */
function send(name, bytes) {
  const of = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}"` };
  return read(fetch(`${server}/api/files`, { method: 'POST', headers: { ...headers(), ...of }, body: bytes }));
}

function headers() {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { 'content-type': 'application/json', ...authorization };
}

/** Returns the body of a response. The error of a failed request names the first invalid fields. */
async function read(request) {
  const response = await request;
  const answer = await response.json();
  if (response.ok) return answer;
  const faults = answer.data?.errors?.slice(0, 3).map(({ field, message }) => `${field} ${message}`) ?? [];
  throw new Error([`${response.status} ${answer.message}`, ...faults].join('; '));
}
