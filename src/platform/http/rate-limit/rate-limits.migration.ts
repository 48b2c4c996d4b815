import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RateLimits1700000000020 implements MigrationInterface {
  readonly name = 'RateLimits1700000000020';

  async up(runner: QueryRunner): Promise<void> {
    // Unlogged: attempts need not survive a crash, and writing them is cheaper.
    await runner.query(`CREATE UNLOGGED TABLE "rate_limits" (
      "key" varchar(255) PRIMARY KEY,
      "points" integer NOT NULL DEFAULT 0,
      "expire" bigint
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "rate_limits"');
  }
}
