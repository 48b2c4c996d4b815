import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OutOfStock } from './stock.errors.js';
import { StockLevel } from './stock.tables.js';

/** Counts the pieces in the warehouse. All methods run in the caller's transaction. */
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
   * Reduces the stock with one statement, so that concurrent orders cannot take more pieces than exist.
   *
   * @throws OutOfStock
   */
  async take(manager: EntityManager, sku: string, pieces: number): Promise<void> {
    const sql = 'UPDATE acme_stock SET pieces = pieces - $2 WHERE sku = $1 AND pieces >= $2';
    const [, changed] = await manager.query<[unknown[], number]>(sql, [sku, pieces]);
    if (changed === 0) throw new OutOfStock({ details: { left: await this.count(manager, sku) } });
  }
}
