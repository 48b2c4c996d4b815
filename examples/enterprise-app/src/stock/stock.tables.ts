import { Column, Entity, type MigrationInterface, PrimaryColumn, type QueryRunner } from 'typeorm';

/** Number of pieces of a product in the warehouse. */
@Entity('acme_stock')
export class StockLevel {
  @PrimaryColumn('text')
  sku!: string;

  @Column('integer')
  pieces!: number;
}

/** Creates the table of stock levels. */
export class StockLevels1795300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE acme_stock (sku text PRIMARY KEY, pieces integer NOT NULL CHECK (pieces >= 0))');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE acme_stock');
  }
}
