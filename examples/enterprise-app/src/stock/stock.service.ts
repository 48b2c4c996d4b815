import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OutOfStock } from './stock.errors.js';
import { StockLevel } from './stock.tables.js';

/** Keeps count of what lies in the warehouse. Everything happens in the caller's transaction. */
@Injectable()
export class StockService {
  async count(manager: EntityManager, sku: string): Promise<number> {
    const level = await manager.getRepository(StockLevel).findOneBy({ sku });
    return level?.pieces ?? 0;
  }

  async add(manager: EntityManager, sku: string, pieces: number): Promise<void> {
    await manager.query(
      `INSERT INTO acme_stock (sku, pieces) VALUES ($1, $2)
       ON CONFLICT (sku) DO UPDATE SET pieces = acme_stock.pieces + excluded.pieces`,
      [sku, pieces],
    );
  }

  /**
   * Takes pieces by one statement, so that of many orders at once no more are given than there are.
   *
   * @throws OutOfStock
   */
  async take(manager: EntityManager, sku: string, pieces: number): Promise<void> {
    const sql = 'UPDATE acme_stock SET pieces = pieces - $2 WHERE sku = $1 AND pieces >= $2';
    const [, changed] = await manager.query<[unknown[], number]>(sql, [sku, pieces]);
    if (changed === 0) throw new OutOfStock({ details: { left: await this.count(manager, sku) } });
  }
}
