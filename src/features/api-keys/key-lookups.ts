import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import type { KeyScope } from '../../kernel/principal.types.js';
import { prepared } from '../../platform/database/database.public.js';

export interface KeyRow {
  readonly id: string;
  readonly keyHash: string;
  readonly userId: string;
  readonly email: string;
  readonly activated: boolean;
  readonly expiresAt: Date | null;
  readonly scopes: readonly KeyScope[] | null;
  readonly addresses: readonly string[] | null;
  readonly schemaVersion: number;
  readonly roleIds: readonly string[];
}

/** Maximum number of connections that key lookups use at the same time. @internal */
const MOST_LOOKUPS = 3;
/** Time in which lookups are collected for one statement. */
const COLLECT_MS = 50;
/** @internal */
const MOST_COLLECTED = 2_000;

const FIND_TEXT = `SELECT k.id, k.key_hash AS "keyHash", k.user_id AS "userId", u.email, u.activated, k.expires_at AS "expiresAt",
     k.scopes, k.addresses, k.schema_version AS "schemaVersion",
     array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id ORDER BY 1) AS "roleIds"
   FROM api_keys k JOIN users u ON u.id = k.user_id`;
const FIND = prepared<KeyRow>('find-api-key', `${FIND_TEXT} WHERE k.key_hash = $1`);
const FIND_MANY = prepared<KeyRow>('find-api-keys', `${FIND_TEXT} WHERE k.key_hash = ANY($1)`);

/** Reads keys from the database with a limited number of connections. */
export class KeyLookups {
  private readonly direct = pLimit(MOST_LOOKUPS);
  private collected = new Set<string>();
  private next: Promise<ReadonlyMap<string, KeyRow>> | null = null;

  constructor(private readonly dataSource: DataSource) {}

  async find(keyHash: string): Promise<KeyRow | undefined> {
    const [row] = await this.direct(() => FIND(this.dataSource, [keyHash]));
    return row;
  }

  /**
   * Looks up a key in a batch: one statement after a short delay for all requested hashes. Thus the cost of many unknown keys does not grow
   * with their number.
   *
   * @throws AppError `rate_limited` if too many lookups are waiting.
   */
  async findTogether(keyHash: string): Promise<KeyRow | undefined> {
    if (this.collected.size >= MOST_COLLECTED) throw new AppError('rate_limited', { retryAfterSeconds: 1 });
    this.collected.add(keyHash);
    this.next ??= this.collect();
    return (await this.next).get(keyHash);
  }

  private async collect(): Promise<ReadonlyMap<string, KeyRow>> {
    await delay(COLLECT_MS);
    const hashes = [...this.collected];
    this.collected = new Set();
    this.next = null;
    const rows = await this.direct(() => FIND_MANY(this.dataSource, [hashes]));
    return new Map(rows.map((row) => [row.keyHash, row]));
  }
}
