import { readFileSync } from 'node:fs';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { prepareChange } from '../dist/src/data/schema/change/prepare-change.js';
import { SchemaApplier } from '../dist/src/data/schema/apply/schema-applier.js';
import { pgOptions } from './pg-options.mjs';

const EXAMPLE = new URL('../examples/blog/schemas/blog.json', import.meta.url);
const ROWS = [
  `INSERT INTO authors (id, name, email) SELECT gen_random_uuid(), 'Author ' || n, 'a' || n || '@example.com'
   FROM generate_series(1, 20) AS n`,
  `INSERT INTO categories (id, name, slug) SELECT gen_random_uuid(), 'Category ' || n, 'category-' || n FROM generate_series(1, 10) AS n`,
  `INSERT INTO tags (id, name) SELECT gen_random_uuid(), 'Tag ' || n FROM generate_series(1, 30) AS n`,
  `WITH a AS (SELECT array_agg(id) AS ids FROM authors), c AS (SELECT array_agg(id) AS ids FROM categories)
   INSERT INTO posts (id, title, slug, body, status, views, published_at, author_id, category_id)
   SELECT gen_random_uuid(), 'Post ' || n, 'post-' || n, repeat('Some words of a post. ', 20),
     CASE WHEN n % 4 = 0 THEN 'draft' ELSE 'published' END, n, now() - n * interval '1 minute',
     a.ids[1 + n % 20], c.ids[1 + n % 10] FROM a, c, generate_series(1, $1::int) AS n`,
  `WITH t AS (SELECT array_agg(id) AS ids FROM tags), p AS (SELECT id, row_number() OVER () AS n FROM posts)
   INSERT INTO posts_tags (tag_id, post_id) SELECT t.ids[1 + (n * k) % 30], p.id FROM t, p, (VALUES (1), (7), (11)) AS v(k)
   ON CONFLICT DO NOTHING`,
  'VACUUM ANALYZE',
];
const MOST_IDS = 500;

/**
 * Applies the blog example and creates posts with three tags each. Returns the ids of some posts and of one record per kind: `{ids, some:
 * {id, author, category, tag1, tag2, tag3}}`.
 */
export async function prepareBlog(app, address, posts) {
  const json = JSON.parse(readFileSync(EXAMPLE, 'utf8'));
  await app
    .get(SchemaApplier)
    .apply({ origin: 'command', prepare: (current) => prepareChange(current, { put: [{ json }] }) });
  const dataSource = app.get(DataSource);
  await fillTables(address, posts);
  const idsOf = async (table, limit) =>
    (await dataSource.query(`SELECT id FROM ${table} LIMIT $1`, [limit])).map(({ id }) => id);
  const ids = await idsOf('posts', MOST_IDS);
  const [[author], [category], [tag1, tag2, tag3]] = [
    await idsOf('authors', 1),
    await idsOf('categories', 1),
    await idsOf('tags', 3),
  ];
  return { ids, some: { id: ids[0], author, category, tag1, tag2, tag3 } };
}

/** Fills the tables on a separate connection: a million rows take longer than a request may. */
async function fillTables(address, posts) {
  const client = new pg.Client(pgOptions(address));
  client.on('error', () => undefined);
  await client.connect();
  for (const sql of ROWS) await client.query(sql, sql.includes('$1') ? [posts] : []);
  await client.end();
}
