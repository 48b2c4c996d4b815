import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import { type AccountDataRequest, OnAccountExport } from '../life/account-data.decorators.js';
import { EmailReservation } from './email-reservation.entity.js';
import type { User } from './user.entity.js';

/** Addresses that accounts gave up, for as long as they can take them back (CONTRACT §8). Each method runs in the caller's transaction. */
@Injectable()
export class EmailReservations {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Notes the address that an account is about to give up, and whether it had proven it. */
  async add(manager: EntityManager, user: User, lifetimeSeconds: number): Promise<void> {
    const { id: userId, email, emailKey, emailVerifiedAt } = user;
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + lifetimeSeconds * 1_000);
    const row = { id: newId(), userId, email, emailKey, emailVerifiedAt, createdAt, expiresAt };
    await manager.insert(EmailReservation, row);
  }

  /**
   * Takes an address back: it is reserved no longer, nor is any that the account gave up after it.
   *
   * @returns what was true of the address, or null if the account did not give it up within that time.
   */
  async takeBack(manager: EntityManager, userId: string, emailKey: string): Promise<EmailReservation | null> {
    const where = { userId, emailKey, expiresAt: MoreThan(this.clock.now()) };
    const found = await manager.findOne(EmailReservation, { where, order: { id: 'ASC' } });
    if (found !== null) await manager.delete(EmailReservation, { userId, id: MoreThanOrEqual(found.id) });
    return found;
  }

  /**
   * Refuses an address that is reserved for another account. Call it after the address was written: what another
   * transaction reserves while this one waits for the address is seen then.
   *
   * @throws AppError `email_taken`.
   */
  async assertNone(manager: EntityManager, emailKey: string, userId?: string): Promise<void> {
    if (await this.exists(manager, emailKey, userId)) throw new AppError('email_taken');
  }

  /** Returns whether the address is reserved for another account. */
  exists(manager: EntityManager, emailKey: string, userId?: string): Promise<boolean> {
    return manager.existsBy(EmailReservation, {
      emailKey,
      emailVerifiedAt: Not(IsNull()),
      expiresAt: MoreThan(this.clock.now()),
      ...(userId === undefined ? {} : { userId: Not(userId) }),
    });
  }

  /** Returns the addresses that an account gave up and can take back, for its owner to take along. */
  @OnAccountExport('former_addresses')
  async export({ userId }: AccountDataRequest): Promise<readonly object[]> {
    const where = { userId, expiresAt: MoreThan(this.clock.now()) };
    const rows = await this.dataSource.getRepository(EmailReservation).find({ where, order: { id: 'ASC' } });
    return rows.map(({ email, createdAt, expiresAt }) => ({
      email,
      given_up_at: createdAt,
      reserved_until: expiresAt,
    }));
  }

  /** Ends what is reserved for an account. */
  async endAll(manager: EntityManager, userId: string): Promise<void> {
    await manager.delete(EmailReservation, { userId });
  }
}
