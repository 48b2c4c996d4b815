import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import { type AccountDataRequest, OnAccountExport } from '../lifecycle/account-data.decorators.js';
import type { User } from './user.entity.js';

const ADD = `INSERT INTO email_reservations (id, user_id, email, email_key, email_verified_at, created_at, expires_at)
  SELECT $1::uuid, id, email, email_key, email_verified_at, $3::timestamptz, $4::timestamptz FROM users WHERE id = $2`;
const UNDO = `WITH found AS (
    SELECT id, email, email_verified_at FROM email_reservations WHERE user_id = $1 AND email_key = $2 AND expires_at > $3
    ORDER BY id LIMIT 1
  ), undone AS (
    DELETE FROM email_reservations r USING found WHERE r.user_id = $1 AND r.id >= found.id
  )
  SELECT email, email_verified_at AS "emailVerifiedAt" FROM found`;
const EXISTS = `SELECT 1 FROM email_reservations WHERE email_key = $1 AND email_verified_at IS NOT NULL AND expires_at > $2
  AND ($3::uuid IS NULL OR user_id <> $3) LIMIT 1`;
const EXPORT = `SELECT email, created_at AS given_up_at, expires_at AS reserved_until FROM email_reservations
  WHERE user_id = $1 AND expires_at > $2 ORDER BY id`;

/**
 * Addresses that accounts gave up by an e-mail change and can still take back. A proven address is reserved for its account during that time.
 * For an unproven one, the row only records the address to restore. Each method runs in the caller's transaction.
 */
@Injectable()
export class EmailReservations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Call it before the account gives up its current address. */
  async add(manager: EntityManager, user: User, lifetimeSeconds: number): Promise<void> {
    const now = this.clock.now();
    await manager.query(ADD, [newId(), user.id, now, new Date(now.getTime() + lifetimeSeconds * 1_000)]);
  }

  /** Also deletes the reservations of addresses that the account gave up later. Returns null if there is none or it has expired. */
  async undo(
    manager: EntityManager,
    userId: string,
    emailKey: string,
  ): Promise<Pick<User, 'email' | 'emailVerifiedAt'> | null> {
    const values = [userId, emailKey, this.clock.now()];
    return (await manager.query<Pick<User, 'email' | 'emailVerifiedAt'>[]>(UNDO, values))[0] ?? null;
  }

  /** Call it after the address is written: it then also sees a reservation of a concurrent transaction. @throws AppError `email_taken`. */
  async assertNone(manager: EntityManager, emailKey: string, userId?: string): Promise<void> {
    if (await this.exists(manager, emailKey, userId)) throw new AppError('email_taken');
  }

  /** Ignores reservations of `userId` and of unproven addresses. */
  async exists(manager: EntityManager, emailKey: string, userId?: string): Promise<boolean> {
    return (await manager.query<unknown[]>(EXISTS, [emailKey, this.clock.now(), userId ?? null])).length > 0;
  }

  @OnAccountExport('former_addresses')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    return this.dataSource.query<object[]>(EXPORT, [userId, this.clock.now()]);
  }

  async endAll(manager: EntityManager, userId: string): Promise<void> {
    await manager.query('DELETE FROM email_reservations WHERE user_id = $1', [userId]);
  }
}
