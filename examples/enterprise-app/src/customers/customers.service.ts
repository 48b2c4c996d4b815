import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Customer } from './customers.tables.js';

/** Stores Acme's data of accounts. All methods run in the caller's transaction. */
@Injectable()
export class CustomersService {
  async add(manager: EntityManager, userId: string): Promise<void> {
    await manager.query('INSERT INTO acme_customers (user_id) VALUES ($1)', [userId]);
  }

  find(manager: EntityManager, userId: string): Promise<Customer | null> {
    return manager.getRepository(Customer).findOneBy({ userId });
  }

  async change(manager: EntityManager, userId: string, values: Partial<Omit<Customer, 'userId'>>): Promise<void> {
    await manager.getRepository(Customer).update({ userId }, values);
  }

  async countSession(manager: EntityManager, userId: string, by: 1 | -1): Promise<void> {
    await manager.getRepository(Customer).increment({ userId }, 'openSessions', by);
  }
}
