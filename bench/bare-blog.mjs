/**
 * The blog written by hand with `node:http` and `pg`: one prepared statement per request. No token, no permissions, no parameter
 * validation.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { readInput, serveUntilAsked } from './child.mjs';
import { pgOptions } from './pg-options.mjs';

const { address, poolSize } = readInput();
const pool = new pg.Pool({ ...pgOptions(address), max: poolSize });

const COLUMNS = `id, title, slug, body, status, views::int, published_at, created_at, updated_at, deleted_at, cover_id,
  author_id, category_id`;
const POST = `SELECT ${COLUMNS} FROM posts WHERE id = $1 AND deleted_at IS NULL`;
const CHANGE = `UPDATE posts SET title = $2, views = $3, updated_at = now() WHERE id = $1 AND deleted_at IS NULL
  RETURNING ${COLUMNS}`;
const NEW = `WITH post AS (
    INSERT INTO posts (id, title, slug, body, author_id, category_id) VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}
  ), tagged AS (INSERT INTO posts_tags (post_id, tag_id) SELECT $1::uuid, unnest($7::uuid[]))
  SELECT * FROM post`;
const TAGS = `(SELECT coalesce(json_agg(json_build_object('name', t.name) ORDER BY t.id), '[]')
  FROM posts_tags pt JOIN tags t ON t.id = pt.tag_id WHERE pt.post_id = p.id AND t.deleted_at IS NULL) AS tags`;
const PART = `p.id, p.title, p.slug, p.views::int, p.published_at, json_build_object('name', c.name) AS category, ${TAGS}`;
const LIST = `SELECT ${PART} FROM (
    SELECT * FROM posts WHERE deleted_at IS NULL AND status = $1 AND views >= $2 ORDER BY published_at DESC, id DESC LIMIT 20
  ) p LEFT JOIN categories c ON c.id = p.category_id AND c.deleted_at IS NULL ORDER BY p.published_at DESC, p.id DESC`;
const RELATION = `SELECT ${PART}, p.total::int FROM (
    SELECT p.*, count(*) OVER () AS total FROM posts p JOIN categories c ON c.id = p.category_id AND c.deleted_at IS NULL
    WHERE p.deleted_at IS NULL AND c.slug = $2 AND EXISTS (SELECT 1 FROM posts_tags pt JOIN tags t ON t.id = pt.tag_id
      WHERE pt.post_id = p.id AND t.deleted_at IS NULL AND t.name = $1)
    ORDER BY p.published_at DESC, p.id DESC LIMIT 20
  ) p LEFT JOIN categories c ON c.id = p.category_id AND c.deleted_at IS NULL ORDER BY p.published_at DESC, p.id DESC`;

const one = async (name, text, values) => (await pool.query({ name, text, values })).rows[0];
const ROUTES = {
  get: (id) => one('get', POST, [id]),
  patch: (id, { title, views }) => one('patch', CHANGE, [id, title, views]),
  create: (_, { title, slug, body, author, category, tags }) =>
    one('create', NEW, [randomUUID(), title, slug, body, author, category, tags]),
  list: async () => ({ items: (await pool.query({ name: 'list', text: LIST, values: ['published', 10] })).rows }),
  relation: async () => {
    const { rows } = await pool.query({ name: 'relation', text: RELATION, values: ['Tag 8', 'category-8'] });
    return { items: rows, total: rows[0]?.total ?? 0 };
  },
};

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () =>
  serveUntilAsked({ base: `http://127.0.0.1:${server.address().port}` }, async () => {
    server.closeAllConnections();
    server.close();
    await pool.end();
  }),
);

async function answer(request, response) {
  const [, name, id] = request.url.split('/');
  let status = 200;
  let body;
  try {
    const input = request.method === 'GET' ? undefined : JSON.parse(await readBody(request));
    body = JSON.stringify({ data: await ROUTES[name](id, input) });
  } catch (error) {
    status = 500;
    body = JSON.stringify({ error: error.message });
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
