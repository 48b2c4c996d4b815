/**
 * `npm run lists [-- --size 500 --rounds 5 --beside <checkout>]`: creates posts with an author, a category and three tags in several ways:
 * - as a list, in batches of 50, with an `Idempotency-Key` each, and one by one;
 * - a list of authors with five nested posts each;
 * - batch updates, batch deletes, and a bulk change by filter.
 * The baseline writes the rows of the list in one transaction of three statements, without HTTP. Prints ms per post and per request.
 * `--beside` measures another checkout in turns with this one, on a separate database. Build first (`npm run build`); rate limits are off.
 */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startChild } from './child.mjs';
import { pgOptions } from './pg-options.mjs';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    beside: { type: 'string' },
  },
});
const size = Number(values.size);
const BATCH = 50;
const NESTED = 5;
let words = 0;

const sides = [await side('this', './server.mjs')];
if (values.beside !== undefined) sides.push(await side('beside', resolve(values.beside, 'bench/server.mjs')));
const times = new Map();

try {
  for (let round = 0; round <= Number(values.rounds); round += 1)
    for (const one of sides)
      for (const [name, run] of Object.entries(work())) {
        const began = performance.now();
        await run(one);
        // The first round warms up.
        if (round > 0) note(`${one.name} ${name}`, (performance.now() - began) / size);
      }
  console.log(`${size} posts, ms a post, median of ${values.rounds} rounds; one batch is of ${BATCH}`);
  for (const name of Object.keys(work())) {
    const [own, other] = sides.map((one) => median(times.get(`${one.name} ${name}`)));
    const ratio = other === undefined ? '' : `  beside ${other.toFixed(3)}  ratio ${(other / own).toFixed(1)}`;
    console.log(`${name.padEnd(24)} ${own.toFixed(3)}${ratio}`);
  }
} finally {
  for (const one of sides) {
    await one.client.end();
    await one.stop();
  }
}

function work() {
  return {
    'a list': async (one) => {
      const { data } = await send(one, 'POST', '/api/content/posts?select=id', posts(one, size));
      one.made = data.map(({ id }) => id);
    },
    'a list that nests': (one) => {
      const authors = Array.from({ length: size / NESTED }, () => author(posts(one, NESTED)));
      return send(one, 'POST', '/api/content/authors?select=id', authors);
    },
    'batches that create': (one) => batches(one, (data) => ({ op: 'create', data })),
    'batches that change': (one) =>
      batches(one, ({ title, views }, id) => ({ op: 'update', id, data: { title, views } })),
    'batches that delete': (one) => batches(one, (_, id) => ({ op: 'delete', id })),
    'one by one, with a key': async (one) => {
      for (const post of posts(one, size)) await send(one, 'POST', '/api/content/posts', post, randomUUID());
    },
    'one by one': async (one) => {
      for (const post of posts(one, size)) await send(one, 'POST', '/api/content/posts', post);
    },
    'a change by a filter': (one) => {
      const filter = encodeURIComponent(JSON.stringify({ slug: { $in: one.slugs.slice(-size) } }));
      return send(one, 'PATCH', `/api/content/posts?filter=${filter}`, { views: words });
    },
    'statements alone': bare,
  };
}

async function side(name, file) {
  const server = await startChild(file, { input: { resources: ['content.*'], posts: 1000, requests: {} } });
  const client = new pg.Client(pgOptions(server.address));
  await client.connect();
  return { ...server, name, client, slugs: [] };
}

function posts({ some, slugs }, count) {
  return Array.from({ length: count }, () => {
    words += 1;
    slugs.push(`bench-${words}`);
    const { author, category, tag1, tag2, tag3 } = some;
    const body = 'Some words of a post. '.repeat(20);
    return {
      title: 'A new post',
      views: words,
      slug: `bench-${words}`,
      body,
      author,
      category,
      tags: [tag1, tag2, tag3],
    };
  });
}

function author(nested) {
  words += 1;
  return {
    name: 'An author',
    email: `bench-${words}@example.com`,
    posts: nested.map((post) => ({ ...post, author: undefined })),
  };
}

async function batches(one, operation) {
  const ids = one.made ?? [];
  for (let at = 0; at < size; at += BATCH) {
    const operations = posts(one, BATCH).map((data, place) => ({
      schema: 'post',
      ...operation(data, ids[at + place]),
    }));
    await send(one, 'POST', '/api/batch', { operations });
  }
}

async function send({ base, token }, method, path, body, key) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  if (key !== undefined) headers['idempotency-key'] = key;
  const request = { method, headers, body: JSON.stringify(body) };
  const response = await fetch(base + path, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

async function bare(one) {
  const { client, some } = one;
  const rows = posts(one, size);
  const ids = rows.map(() => randomUUID());
  const column = (name) => rows.map((row) => row[name]);
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO posts (id, title, slug, body, author_id, category_id, created_at, updated_at)
     SELECT v.*, now(), now() FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::uuid[]) AS v`,
    [ids, column('title'), column('slug'), column('body'), column('author'), column('category')],
  );
  const tags = ids.flatMap(() => [some.tag1, some.tag2, some.tag3]);
  const pairs = ids.flatMap((id) => [id, id, id]);
  await client.query('INSERT INTO posts_tags (post_id, tag_id) SELECT * FROM unnest($1::uuid[], $2::uuid[])', [
    pairs,
    tags,
  ]);
  await client.query('SELECT jsonb_build_object($2::text, id)::text FROM posts WHERE id = ANY($1::uuid[])', [
    ids,
    'id',
  ]);
  await client.query('COMMIT');
}

function note(name, time) {
  times.set(name, [...(times.get(name) ?? []), time]);
}

function median(list = []) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}
