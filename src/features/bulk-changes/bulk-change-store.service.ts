import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import type { BulkChange, BulkState } from './bulk-change.entity.js';
import type { BulkPart } from './bulk-records.service.js';
import { defineLimit } from '../../kernel/limits.js';

/** Retention after the last step. */
const KEPT_MS = 7 * 86_400_000;
const MOST_RUNNING = defineLimit(5, 'Content', 'running bulk changes of one account', 'bulk_changes_pending');
const MOST_LISTED = defineLimit(100, 'Content', 'bulk changes that the list returns', null);

const COLUMNS = `id, owner_id AS "ownerId", actor, schema, action, filter, "values", state, total, seen, changed, last_key AS "lastKey",
  until_key AS "untilKey", error, created_at AS "createdAt", updated_at AS "updatedAt", expires_at AS "expiresAt"`;

export type AskedChange = Pick<
  BulkChange,
  'ownerId' | 'actor' | 'schema' | 'action' | 'filter' | 'values' | 'total' | 'untilKey'
>;

@Injectable()
export class BulkChangeStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** Inserts a change and returns its id; null if the account has reached its limit. */
  async begin(manager: EntityManager, request: AskedChange): Promise<string | null> {
    const now = this.clock.now();
    const { ownerId } = request;
    // The lock serialises the count of one account.
    await manager.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [ownerId]);
    const running = `SELECT count(*)::int AS count FROM bulk_changes WHERE owner_id = $1 AND state = 'running' AND expires_at > $2`;
    const [found] = await manager.query<{ count: number }[]>(running, [ownerId, now]);
    if ((found?.count ?? 0) >= MOST_RUNNING) return null;
    const id = newId();
    const { schema, action, filter, values, total, untilKey } = request;
    await manager.query(
      `INSERT INTO bulk_changes (id, owner_id, actor, schema, action, filter, "values", total, until_key, state, created_at, updated_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'running', $10, $10, $11)`,
      [
        id,
        ownerId,
        JSON.stringify(request.actor),
        schema,
        action,
        filter,
        values,
        total,
        untilKey,
        now,
        keptUntil(now),
      ],
    );
    return id;
  }

  async list(owner: string): Promise<BulkChange[]> {
    return this.dataSource.query(
      `SELECT ${COLUMNS} FROM bulk_changes WHERE owner_id = $1 AND expires_at > $2 ORDER BY id DESC LIMIT ${MOST_LISTED}`,
      [owner, this.clock.now()],
    );
  }

  async find(id: string): Promise<BulkChange | null> {
    const [found] = await this.dataSource.query<BulkChange[]>(`SELECT ${COLUMNS} FROM bulk_changes WHERE id = $1`, [
      id,
    ]);
    return found ?? null;
  }

  /** Returns a change with a row lock. Concurrent runs wait here. */
  async hold(manager: EntityManager, id: string): Promise<BulkChange | null> {
    const locked = `SELECT ${COLUMNS} FROM bulk_changes WHERE id = $1 FOR UPDATE`;
    const [found] = await manager.query<BulkChange[]>(locked, [id]);
    return found ?? null;
  }

  /** Stores progress in the transaction that changes the records. Without a further record, the change is done. */
  async book(manager: EntityManager, id: string, { seen, changed, lastKey }: BulkPart): Promise<void> {
    const now = this.clock.now();
    await manager.query(
      `UPDATE bulk_changes SET seen = seen + $2, changed = changed + $3, last_key = COALESCE($4, last_key), updated_at = $5, expires_at = $6,
         state = CASE WHEN $4::text IS NULL THEN 'done' ELSE state END WHERE id = $1`,
      [id, seen, changed, lastKey, now, keptUntil(now)],
    );
  }

  async end(id: string, state: BulkState, error: string | null = null): Promise<boolean> {
    const now = this.clock.now();
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE bulk_changes SET state = $2, error = $3, updated_at = $4, expires_at = $5 WHERE id = $1 AND state = 'running'`,
      [id, state, error, now, keptUntil(now)],
    );
    return count > 0;
  }
}

function keptUntil(now: Date): Date {
  return new Date(now.getTime() + KEPT_MS);
}
