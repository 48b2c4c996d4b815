/**
 * `npm run growth:bare [-- --posts 1000000 --times 30 --json <file>]`: measures requests that become slow in a large table, in sequence.
 * Cases: a high page number, an exact total, a filter over a relation, a search, a sort by an optional field with a cursor in the middle,
 * and a grouped aggregate. Each is compared with a prepared, hand-written statement behind bare `node:http`.
 * Prints p50 in ms, the ratio, and whether it is above two. Uses a new database, which is dropped afterwards. Build first (`npm run
 * build`).
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startChild } from './child.mjs';
import { pgOptions } from './pg-options.mjs';

const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '30' },
    json: { type: 'string' },
  },
});
const posts = Number(values.posts);
/** Maximum time of a request, as a multiple of the hand-written one. */
const MOST = 2;
const PAGE = 20;

const product = await startChild('./server.mjs', { input: { resources: ['content.*'], posts } });
let currentStatement;
const bare = createServer((_, response) => {
  void client.query(currentStatement).then(({ rows }) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ items: rows }));
  });
}).listen(0, '127.0.0.1');
await once(bare, 'listening');
const client = new pg.Client(pgOptions(product.address));
client.on('error', () => undefined);
try {
  await client.connect();
  await prepare();
  row('', 'ours', 'by hand', 'times');
  const rows = [];
  for (const [name, { path, text, parameters = [], isEqual }] of Object.entries(await cases())) {
    const ours = await request(path);
    const { rows: byStatement } = await client.query({ name, text, values: parameters });
    if (!isEqual(ours, byStatement))
      throw new Error(
        `${name}: not the same\n${JSON.stringify(ours).slice(0, 400)}\n${JSON.stringify(byStatement).slice(0, 400)}`,
      );
    const [own, hand] = await inTurns(
      () => request(path),
      () => byHand({ name, text, values: parameters }),
    );
    rows.push({ name, ours: own, byHand: hand, ratio: own / hand });
    row(name, own.toFixed(1), hand.toFixed(1), `${(own / hand).toFixed(1)}${own / hand > MOST ? ' !' : ''}`);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
} finally {
  bare.closeAllConnections();
  bare.close();
  await client.end();
  await product.stop();
}

/** Returns the rows of a hand-written statement, served by this process. */
async function byHand(statement) {
  currentStatement = statement;
  const response = await fetch(`http://127.0.0.1:${bare.address().port}/`);
  return response.json();
}

/** Prepares the table: a third of the posts have no publication time, and one in a thousand contains a rare word. */
async function prepare() {
  await client.query(`UPDATE posts SET published_at = NULL WHERE views % 3 = 0`);
  await client.query(`UPDATE posts SET title = title || ' kestrel' WHERE views % 1000 = 7`);
  await client.query('VACUUM ANALYZE posts');
}

async function cases() {
  const list = (parameters) =>
    `posts?${new URLSearchParams({ select: 'id,title', limit: String(PAGE), ...parameters })}`;
  const deep = Math.floor((posts * 3) / 4 / PAGE) - 5;
  const byIds = ({ data: { items } }, rows) => String(items.map(({ id }) => id)) === String(rows.map(({ id }) => id));
  const cursor = await middle(list);
  return {
    'a page by number, deep inside': {
      path: list({ filter: '{"status":"published"}', sort: '-views', count: 'none', page: String(deep) }),
      text: `SELECT id, title FROM posts WHERE deleted_at IS NULL AND status = $1 ORDER BY views DESC, id DESC LIMIT ${PAGE} OFFSET $2`,
      parameters: ['published', (deep - 1) * PAGE],
      isEqual: byIds,
    },
    'an exact total': {
      path: list({ filter: '{"views":{"$gte":10}}', count: 'exact', limit: '1' }),
      text: 'SELECT count(*)::int AS total FROM posts WHERE deleted_at IS NULL AND views >= $1',
      parameters: [10],
      isEqual: ({ data }, [{ total }]) => data.total === total,
    },
    'a filter over a relation': {
      path: list({ filter: '{"tags.name":"Tag 8","category.slug":"category-8"}', sort: '-views', count: 'none' }),
      text: `SELECT p.id, p.title FROM posts p JOIN categories c ON c.id = p.category_id AND c.deleted_at IS NULL
        WHERE p.deleted_at IS NULL AND c.slug = $2 AND EXISTS (SELECT 1 FROM posts_tags pt JOIN tags t ON t.id = pt.tag_id
          WHERE pt.post_id = p.id AND t.deleted_at IS NULL AND t.name = $1) ORDER BY p.views DESC, p.id DESC LIMIT ${PAGE}`,
      parameters: ['Tag 8', 'category-8'],
      isEqual: byIds,
    },
    'a search': {
      path: list({ filter: '{"$search":"kestrel"}', sort: '-views', count: 'none' }),
      text: `SELECT id, title FROM posts WHERE deleted_at IS NULL AND to_tsvector('simple', coalesce(title, '') || ' ' || coalesce(body, ''))
        @@ websearch_to_tsquery('simple', $1) ORDER BY views DESC, id DESC LIMIT ${PAGE}`,
      parameters: ['kestrel'],
      isEqual: byIds,
    },
    'an optional field in order, from its middle': {
      path: list({ sort: 'published_at', cursor: cursor.value }),
      text: `SELECT id, title FROM posts WHERE deleted_at IS NULL AND ((published_at, id) > ($1, $2) OR published_at IS NULL)
        ORDER BY published_at, id LIMIT ${PAGE}`,
      parameters: [cursor.at, cursor.id],
      isEqual: byIds,
    },
    'an aggregate by group': {
      path: `posts/aggregate?count=*&avg=views&group=category`,
      text: 'SELECT category_id, count(*)::int AS count, avg(views) FROM posts WHERE deleted_at IS NULL GROUP BY category_id',
      isEqual: ({ data }, rows) => data.length === rows.length,
    },
  };
}

/** Returns a cursor some hundred posts into those with a publication time, and the post before it. */
async function middle(list) {
  let value = '';
  let last;
  for (let page = 0; page < 10; page += 1) {
    const { data } = await request(
      list({ select: 'id,published_at', sort: 'published_at', limit: '100', cursor: value }),
    );
    [value, last] = [data.next_cursor, data.items.at(-1)];
  }
  return { value, at: last.published_at, id: last.id };
}

async function request(path) {
  const response = await fetch(`${product.base}/api/content/${path}`, {
    headers: { authorization: `Bearer ${product.token}` },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Returns the median of each work. They run in turns, so that other load affects all equally. */
async function inTurns(...works) {
  const times = works.map(() => []);
  for (let count = 0; count < Number(values.times); count += 1)
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      await work();
      times[index].push(performance.now() - start);
    }
  return times.map((list) => list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)]);
}

function row(name, ...cells) {
  console.log(name.padEnd(46) + cells.map((cell) => cell.padStart(12)).join(''));
}
