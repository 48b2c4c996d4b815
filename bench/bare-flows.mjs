import { randomBytes } from 'node:crypto';
import { deriveNamedKey, keyedHash } from '../dist/src/kernel/keys/key-derivation.js';

const WEEK = `now() + interval '7 days'`;
const PEOPLE = `WITH person AS (
    INSERT INTO users (id, email, email_key, provider, activated, created_at, updated_at)
    SELECT gen_random_uuid(), email, email, 'local', true, now(), now() FROM unnest($1::text[]) AS email RETURNING id, email
  ), session AS (
    INSERT INTO sessions (id, user_id, provider, created_at, last_used_at, expires_at)
    SELECT gen_random_uuid(), id, 'otp', now(), now(), ${WEEK} FROM person RETURNING id, user_id
  ), secret AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS s(email, code_hash, token_hash)
  ), code AS (
    INSERT INTO one_time_secrets (id, purpose, user_id, secret_hash, data, attempts_left, created_at, expires_at)
    SELECT gen_random_uuid(), 'otp', person.id, code_hash, '{}', 3, now(), ${WEEK} FROM person JOIN secret USING (email)
  )
  INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
  SELECT gen_random_uuid(), session.id, token_hash, now(), ${WEEK}
  FROM session JOIN person ON person.id = session.user_id JOIN secret USING (email)`;
const REFRESH = `WITH used AS (
    UPDATE refresh_tokens SET used_at = now()
    WHERE token_hash = $1 AND used_at IS NULL AND expires_at > now() RETURNING session_id
  ), session AS (
    UPDATE sessions SET last_used_at = now(), expires_at = ${WEEK} FROM used
    WHERE sessions.id = used.session_id RETURNING sessions.id, sessions.user_id
  ), successor AS (
    INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
    SELECT gen_random_uuid(), id, $2, now(), ${WEEK} FROM session
  )
  SELECT id, user_id FROM session`;
const VERIFY = `WITH code AS (
    DELETE FROM one_time_secrets s USING users u WHERE u.email_key = $1 AND u.activated AND s.user_id = u.id
      AND s.purpose = 'otp' AND s.secret_hash = $2 AND s.expires_at > now() RETURNING s.user_id
  ), session AS (
    INSERT INTO sessions (id, user_id, provider, created_at, last_used_at, expires_at)
    SELECT gen_random_uuid(), user_id, 'otp', now(), now(), ${WEEK} FROM code RETURNING id, user_id
  ), token AS (
    INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
    SELECT gen_random_uuid(), id, $3, now(), ${WEEK} FROM session
  )
  SELECT id, user_id FROM session`;

/**
 * Returns the routes `/refresh` and `/otp`. Each runs one statement, which consumes the secret and writes the new session data, and signs a
 * token. `sign` creates the access token of a session.
 */
export function flowRoutes(pool, appKey, sign) {
  const key = deriveNamedKey(appKey, 'refresh-token');
  const hash = (text) => keyedHash(key, text);
  const answer = ({ rows: [session] }, refresh_token) => ({ token: sign(session.user_id, session.id), refresh_token });
  return {
    '/refresh': async ({ refresh_token }) => {
      const next = randomBytes(32).toString('base64url');
      const values = [hash(refresh_token), hash(next)];
      return answer(await pool.query({ name: 'refresh', text: REFRESH, values }), next);
    },
    '/otp': async ({ email, code }) => {
      const next = randomBytes(32).toString('base64url');
      const values = [email, hash(`${email} ${code}`), hash(next)];
      return answer(await pool.query({ name: 'otp', text: VERIFY, values }), next);
    },
  };
}

export async function barePeople(pool, appKey, count) {
  const key = deriveNamedKey(appKey, 'refresh-token');
  const people = Array.from({ length: count }, (_, index) => ({
    email: `bare${index}@example.com`,
    code: String(100_000 + index),
    refresh_token: randomBytes(32).toString('base64url'),
  }));
  await pool.query(PEOPLE, [
    people.map(({ email }) => email),
    people.map(({ email, code }) => keyedHash(key, `${email} ${code}`)),
    people.map(({ refresh_token }) => keyedHash(key, refresh_token)),
  ]);
  return people;
}
