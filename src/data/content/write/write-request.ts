import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { originOf } from '../../../identity/auth/auth.public.js';
import { AppError } from '../../../kernel/errors/app-error.js';
import { GUEST, type Principal, type RequestOrigin } from '../../../kernel/principal.types.js';
import { type ReturnPreference, dataOf, type WriteResponse } from '../answers.js';
import { fieldInvalid } from '../resolve/writes/write-faults.js';
import type { RawQuery } from '../request/parse-list-query.js';
import type { ContentContext } from '../content-context.service.js';
import type { WriteTransaction } from './transaction/in-transaction.js';

export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the method, the URL and the body, base64url. */
  readonly requestHash: string;
}

export interface WriteRequest {
  readonly principal: Principal;
  /** Undefined if application code writes. */
  readonly origin?: RequestOrigin;
  /** Name or namespace of a schema; empty if the route names none. */
  readonly schema: string;
  readonly id: string;
  readonly body: unknown;
  readonly query: RawQuery;
  /** Accepted entity tags (RFC 9110 §13.1.1); null for any. */
  readonly ifMatch: string | null;
  readonly prefer: ReturnPreference | null;
  readonly idempotencyKey: IdempotencyKey | null;
  /** Transaction to join, if application code writes. Otherwise the write has its own. */
  readonly within?: EntityManager | undefined;
}

/** Reads the parts of a write request. Throws `field_invalid` for a malformed `Idempotency-Key`. */
export function writeRequestOf(request: AuthenticatedRequest): WriteRequest {
  const { schema = '', id = '' } = request.params as Partial<Record<string, string>>;
  const { headers, method, body } = request;
  const key = parseIdempotencyKey(headers['idempotency-key']);
  return {
    principal: request.user ?? GUEST,
    origin: originOf(request),
    schema,
    id,
    body,
    query: request.query as RawQuery,
    ifMatch: headers['if-match'] ?? null,
    prefer: returnPreference(headers['prefer'] as string | undefined),
    // Requests with the same hash count as repetitions.
    idempotencyKey: key === null ? null : { key, requestHash: digest(JSON.stringify([method, request.url, body])) },
  };
}

/** Unquoted, as most clients send it: visible ASCII. */
const TOKEN = /^[!#-+\--~]{1,255}$/;
/** A string of structured fields (RFC 9651 §3.3.3), as specified by the draft. */
const STRING = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/;

/**
 * Parses an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a structured string, or the same without quotes.
 *
 * @throws AppError `field_invalid` for anything but 1 to 255 printable characters.
 */
function parseIdempotencyKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const text = typeof header === 'string' ? header : header.join(',');
  if (TOKEN.test(text)) return text;
  const quoted = STRING.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, '$1');
  throw keyFault('must be 1 to 255 printable ASCII characters');
}

function keyFault(message: string): AppError {
  return fieldInvalid('Idempotency-Key', 'value_invalid', message);
}

const PREFERENCE = /^return[ \t]*=[ \t]*("?)(minimal|representation)\1[ \t]*(?:;|$)/i;

/**
 * Returns the first `return` preference of a `Prefer` header. Null if there is none or if its value is unknown, which is ignored (RFC 7240
 * §2).
 */
function returnPreference(header: string | undefined): ReturnPreference | null {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? [];
  const first = entries.find((entry) => /^return[ \t]*(?:=|;|$)/i.test(entry));
  return (PREFERENCE.exec(first ?? '')?.[2]?.toLowerCase() ?? null) as ReturnPreference | null;
}

const LIFETIME_MS = 86_400_000;
/** Claims a key that is free or expired. If a concurrent request uses the key, the statement waits for its row lock. */
const CLAIM = `INSERT INTO idempotency_keys AS k (id, request_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET request_hash = excluded.request_hash, status = NULL, headers = NULL, body = NULL, bare = NULL, seen_as = NULL,
    created_at = excluded.created_at, expires_at = excluded.expires_at
  WHERE k.expires_at <= excluded.created_at RETURNING id`;
const FIND = 'SELECT request_hash, status, headers, body, bare, seen_as FROM idempotency_keys WHERE id = $1';
const STORE = 'UPDATE idempotency_keys SET status = $2, headers = $3, body = $4, bare = $5, seen_as = $6 WHERE id = $1';

interface StoredResponse extends WriteResponse {
  readonly request_hash: string;
  /** Digest of everything that determined the visibility of the response. */
  readonly seen_as: string | null;
}

type IsSeen = (answered: unknown, keys: unknown) => Promise<boolean>;

/**
 * Returns the stored response to a request with an `Idempotency-Key`, or runs the work and stores its response in the same transaction. A
 * failed request leaves the key free (ADR 0012). The caller has already checked the permission for the action. If the visibility has changed
 * since then, the response contains only the record keys.
 *
 * @param isSeen whether the principal can still see the stored records.
 * @throws AppError `idempotency_key_reused` if the key was sent with another request; `field_invalid` for guests, who cannot be
 * distinguished, and for a response that is too large to store.
 */
export async function answerOnce(
  transaction: WriteTransaction,
  idempotencyKey: IdempotencyKey | null,
  work: () => Promise<WriteResponse>,
  isSeen: IsSeen,
): Promise<WriteResponse> {
  if (idempotencyKey === null) return work();
  const { manager, context } = transaction;
  if (context.principal.kind !== 'account')
    throw keyFault('requires an account, because guests cannot be distinguished');
  const id = digest(`${context.principal.userId}\0${idempotencyKey.key}`);
  const expiresAt = new Date(context.now.getTime() + LIFETIME_MS);
  const claimed = await manager.query<unknown[]>(CLAIM, [id, idempotencyKey.requestHash, context.now, expiresAt]);
  if (claimed.length === 0) return storedResponse(transaction, id, idempotencyKey, isSeen);
  const answer = await work();
  if (Buffer.byteLength(answer.body) > context.limits.storedResponseBytes)
    throw keyFault('cannot store a response of this size. Select fewer fields, or send Prefer: return=minimal.');
  const { status, headers, body, bare } = answer;
  await manager.query(STORE, [id, status, JSON.stringify(headers), body, bare, visibilityOf(context)]);
  return answer;
}

async function storedResponse(
  { manager, context }: WriteTransaction,
  id: string,
  { requestHash }: IdempotencyKey,
  isSeen: IsSeen,
): Promise<WriteResponse> {
  const [row] = await manager.query<StoredResponse[]>(FIND, [id]);
  if (row === undefined) throw new AppError('server_busy', { retryAfterSeconds: 1 });
  if (row.request_hash !== requestHash) throw new AppError('idempotency_key_reused');
  const { status, headers, body, bare } = row;
  const isSame = row.seen_as === visibilityOf(context);
  const isAsEver = body === bare || (isSame && (await isSeen(dataOf(body), dataOf(bare))));
  return { status, headers, bare, body: isAsEver ? body : bare };
}

function visibilityOf({ snapshot, permissions: { root, permissions }, auth }: ContentContext): string {
  const rules = permissions.map((rule) => JSON.stringify(rule)).sort();
  return digest(JSON.stringify([snapshot.hash, root, rules, auth]));
}

/** A plain hash without a secret: a repeated request is recognized even after a change of `APP_KEY`. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
