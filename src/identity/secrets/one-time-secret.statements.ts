/** What the statements answer of a secret. */
export interface SecretRow<Data extends object = object> {
  readonly id: string;
  readonly user_id: string;
  readonly data: Data;
  readonly expires_at: Date;
}

/** A token that waits to be used, whether it has expired or not. */
export const FIND = `SELECT id, user_id, data, expires_at FROM one_time_secrets
  WHERE purpose = $1 AND secret_hash = $2 AND attempts_left IS NULL ORDER BY expires_at DESC LIMIT 1`;
/** The account's row is locked before the secret's, as whoever issues one does: a consumer and an issuer wait in one order. */
export const CONSUME = `WITH account AS (
    SELECT id FROM users WHERE id IN (
      SELECT user_id FROM one_time_secrets WHERE purpose = $1 AND secret_hash = $2 AND attempts_left IS NULL AND expires_at > $3
    ) FOR NO KEY UPDATE
  )
  DELETE FROM one_time_secrets s USING account
  WHERE s.user_id = account.id AND s.purpose = $1 AND s.secret_hash = $2 AND s.attempts_left IS NULL AND s.expires_at > $3
  RETURNING s.id, s.user_id, s.data, s.expires_at`;
/** Uses up a try of the code that the account has, and answers what to compare with. */
export const COUNT_TRY = `UPDATE one_time_secrets SET attempts_left = attempts_left - 1
  WHERE purpose = $1 AND user_id = $2 AND attempts_left > 0 AND expires_at > $3 RETURNING id, user_id, data, expires_at, secret_hash`;
