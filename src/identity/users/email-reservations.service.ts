import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { newId } from '../../kernel/keys/random.js';
import { type AccountDataRequest, OnAccountExport } from '../life/account-data.decorators.js';
import { EmailReservation } from './email-reservation.entity.js';
import type { User } from './user.entity.js';

/** Addresses that accounts gave up and can still take back (CONTRACT §8). Each method runs in the caller's transaction. */
@Injectable()
export class EmailReservations {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Call it before the account gives up its current address. */
  async add(manager: EntityManager, user: User, lifetimeSeconds: number): Promise<void> {
    const { id: userId, email, emailKey, emailVerifiedAt } = user;
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + lifetimeSeconds * 1_000);
    const row = { id: newId(), userId, email, emailKey, emailVerifiedAt, createdAt, expiresAt };
    await manager.insert(EmailReservation, row);
  }

  /** Also deletes the reservations of addresses that the account gave up later. Returns null if there is none or it has expired. */
  async takeBack(manager: EntityManager, userId: string, emailKey: string): Promise<EmailReservation | null> {
    const where = { userId, emailKey, expiresAt: MoreThan(this.clock.now()) };
    const found = await manager.findOne(EmailReservation, { where, order: { id: 'ASC' } });
    if (found !== null) await manager.delete(EmailReservation, { userId, id: MoreThanOrEqual(found.id) });
    return found;
  }

  /** Call it after the address is written: it then also sees a reservation of a concurrent transaction. @throws AppError `email_taken`. */
  async assertNone(manager: EntityManager, emailKey: string, userId?: string): Promise<void> {
    if (await this.exists(manager, emailKey, userId)) throw new AppError('email_taken');
  }

  /** Ignores reservations of `userId` and of unproven addresses. */
  exists(manager: EntityManager, emailKey: string, userId?: string): Promise<boolean> {
    return manager.existsBy(EmailReservation, {
      emailKey,
      emailVerifiedAt: Not(IsNull()),
      expiresAt: MoreThan(this.clock.now()),
      ...(userId === undefined ? {} : { userId: Not(userId) }),
    });
  }

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

  async endAll(manager: EntityManager, userId: string): Promise<void> {
    await manager.delete(EmailReservation, { userId });
  }
}
