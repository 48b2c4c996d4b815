/**
 * Baseline: `node:http` and only the unavoidable work.
 * - `/public`: nothing.
 * - `/guarded`: verification of the same token (jsonwebtoken with a KeyObject).
 * - `/me`: verification and the same query.
 * - `/login`: the same look-up, hash, session and token.
 * - `/refresh` and `/otp`: one statement and the token.
 */
import { createServer } from 'node:http';
import { verify } from '@node-rs/argon2';
import jsonwebtoken from 'jsonwebtoken';
import pg from 'pg';
import { deriveNamedKey } from '../dist/src/kernel/keys/key-derivation.js';
import { barePeople, flowRoutes } from './bare-flows.mjs';
import { readInput, serveUntilAsked } from './child.mjs';

const { address, appKey, issuer, people = 0 } = readInput();
const key = deriveNamedKey(appKey, 'access-token');
const pool = new pg.Pool({
  ...('url' in address ? { connectionString: address.url } : { ...address, user: address.username }),
  max: 10,
});

const ME = `SELECT id, coalesce(username, email) AS login, email, activated, created_at, updated_at, username, first_name,
  last_name, provider FROM users WHERE id = $1`;
const ACCOUNT = 'SELECT id, password_hash FROM users WHERE email_key = $1';
const SESSION = `INSERT INTO sessions (id, user_id, provider, created_at, last_used_at, expires_at)
  VALUES (gen_random_uuid(), $1, 'local', now(), now(), now() + interval '7 days') RETURNING id`;

const ROUTES = {
  '/public': () => ({ ok: true }),
  '/guarded': (request) => {
    check(request);
    return { ok: true };
  },
  '/me': async (request) => {
    const { rows } = await pool.query({ name: 'me', text: ME, values: [check(request).sub] });
    return rows[0];
  },
  '/login': async (request) => {
    const { login, password } = JSON.parse(await readBody(request));
    const { rows } = await pool.query({ name: 'account', text: ACCOUNT, values: [login] });
    if (!(await verify(rows[0].password_hash, password))) throw new Error('wrong password');
    const session = await pool.query({ name: 'session', text: SESSION, values: [rows[0].id] });
    return { token: sign(rows[0].id, session.rows[0].id) };
  },
};
for (const [path, run] of Object.entries(flowRoutes(pool, appKey, sign))) {
  ROUTES[path] = async (request) => run(JSON.parse(await readBody(request)));
}

const server = createServer((request, response) => void answer(request, response));
const prepared = await barePeople(pool, appKey, people);
server.listen(0, '127.0.0.1', () =>
  serveUntilAsked({ base: `http://127.0.0.1:${server.address().port}`, people: prepared }, async () => {
    server.closeAllConnections();
    server.close();
    await pool.end();
  }),
);

async function answer(request, response) {
  let status = 200;
  let body;
  try {
    const result = ROUTES[request.url](request);
    body = JSON.stringify(result instanceof Promise ? await result : result);
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

function sign(userId, sessionId) {
  const claims = { iss: issuer, aud: issuer, sub: userId, sid: sessionId };
  return jsonwebtoken.sign(claims, key, { algorithm: 'HS256', expiresIn: '7d' });
}

function check(request) {
  const token = request.headers.authorization.slice('Bearer '.length);
  return jsonwebtoken.verify(token, key, { algorithms: ['HS256'], issuer, audience: issuer });
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
