import { prepared } from '../../../platform/database/database.public.js';

/** A refresh token with its session and its account. */
export interface FoundToken {
  readonly session_id: string;
  readonly user_id: string;
  readonly activated: boolean;
  readonly used_at: Date | null;
  readonly expires_at: Date;
}

/**
 * The usual case in one statement: an unused token of a living session is used, its session renewed, its successor written.
 * The session is locked before its token, as whoever ends a session does; of many at once one finds the token unused.
 */
export const ROTATE = prepared<{ user_id: string; session_id: string }>(
  'rotate-refresh-token',
  `WITH living AS (
     SELECT s.id, s.user_id FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
     WHERE t.token_hash = $1 AND t.used_at IS NULL AND t.expires_at > $2 AND u.activated FOR UPDATE OF s
   ), used AS (
     UPDATE refresh_tokens t SET used_at = $2 FROM living
     WHERE t.token_hash = $1 AND t.used_at IS NULL AND t.session_id = living.id RETURNING t.session_id, living.user_id
   ), renewed AS (
     UPDATE sessions SET last_used_at = $2, expires_at = $3 FROM used WHERE sessions.id = used.session_id
   ), successor AS (
     INSERT INTO refresh_tokens (id, session_id, token_hash, created_at, expires_at)
     SELECT $4, session_id, $5, $2, $6 FROM used
   )
   SELECT session_id, user_id FROM used`,
);

/** Finds a token and locks its session: the refreshes of one session happen one after another. */
export const FIND = `SELECT t.session_id, t.used_at, t.expires_at, s.user_id, u.activated
  FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
  WHERE t.token_hash = $1 FOR UPDATE OF s, t`;
