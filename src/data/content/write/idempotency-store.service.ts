import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { dataOf, type WriteAnswer } from '../answers.js';
import type { ContentContext } from '../content-context.service.js';
import { type IdempotencyKey, keyFault } from './write-request.js';
import type { WriteTransaction } from './transaction/in-transaction.js';

const LIFETIME_MS = 86_400_000;
/** Claims a key that is free or expired. If a concurrent request uses the key, the statement waits for its row lock. */
const CLAIM = `INSERT INTO idempotency_keys AS k (id, request_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash, status = NULL, headers = NULL, body = NULL, bare = NULL, seen_as = NULL,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  WHERE k.expires_at <= excluded.created_at RETURNING id`;
const FIND = 'SELECT request_hash, status, headers, body, bare, seen_as FROM idempotency_keys WHERE id = $1';
const STORE = 'UPDATE idempotency_keys SET status = $2, headers = $3, body = $4, bare = $5, seen_as = $6 WHERE id = $1';

interface StoredResponse extends WriteAnswer {
  readonly request_hash: string;
  /** Digest of everything that determined the visibility of the response. */
  readonly seen_as: string | null;
}

type IsSeen = (answered: unknown, keys: unknown) => Promise<boolean>;

/**
 * Stores responses to requests with an `Idempotency-Key`, in the transaction of the request. Changes and response are committed together,
 * and a failed request leaves the key free (ADR 0012).
 */
@Injectable()
export class IdempotencyStore {
  /**
   * Returns the stored response, or runs the work and stores its response. The caller has already checked the permission for the action. If
   * the visibility has changed since then, the response contains only the record keys.
   *
   * @param isSeen whether the principal can still see the stored records.
   * @throws AppError `idempotency_key_reused` if the key was sent with another request; `field_invalid` for guests, who cannot be
   * distinguished, and for a response that is too large to store.
   */
  async run(
    transaction: WriteTransaction,
    idempotencyKey: IdempotencyKey | null,
    work: () => Promise<WriteAnswer>,
    isSeen: IsSeen,
  ): Promise<WriteAnswer> {
    if (idempotencyKey === null) return work();
    const { manager, context } = transaction;
    if (context.principal.kind !== 'account')
      throw keyFault('requires an account, because guests cannot be distinguished');
    const id = digest(`${context.principal.userId}\0${idempotencyKey.key}`);
    const expiresAt = new Date(context.now.getTime() + LIFETIME_MS);
    const claimed = await manager.query<unknown[]>(CLAIM, [id, idempotencyKey.requestHash, context.now, expiresAt]);
    if (claimed.length === 0) return this.storedResponse(transaction, id, idempotencyKey, isSeen);
    const answer = await work();
    if (Buffer.byteLength(answer.body) > context.limits.storedResponseBytes)
      throw keyFault('cannot store a response of this size. Select fewer fields, or send Prefer: return=minimal.');
    const { status, headers, body, bare } = answer;
    await manager.query(STORE, [id, status, JSON.stringify(headers), body, bare, this.sight(context)]);
    return answer;
  }

  private async storedResponse(
    { manager, context }: WriteTransaction,
    id: string,
    { requestHash }: IdempotencyKey,
    isSeen: IsSeen,
  ): Promise<WriteAnswer> {
    const [row] = await manager.query<StoredResponse[]>(FIND, [id]);
    if (row === undefined) throw new AppError('server_busy', { retryAfterSeconds: 1 });
    if (row.request_hash !== requestHash) throw new AppError('idempotency_key_reused');
    const { status, headers, body, bare } = row;
    const isAsEver =
      body === bare || (row.seen_as === this.sight(context) && (await isSeen(dataOf(body), dataOf(bare))));
    return { status, headers, bare, body: isAsEver ? body : bare };
  }

  private sight({ snapshot, permissions: { root, permissions }, auth }: ContentContext): string {
    const rules = permissions.map((rule) => JSON.stringify(rule)).sort();
    return digest(JSON.stringify([snapshot.hash, root, rules, auth]));
  }
}

/** A plain hash without a secret: a repeated request is recognized even after a change of `APP_KEY`. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
