import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the addresses that keys may come from, and whether their owners were told that they expire. */
export class ApiKeyAddresses1700000000040 implements MigrationInterface {
  readonly name = 'ApiKeyAddresses1700000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_keys" ADD COLUMN "addresses" jsonb, ADD COLUMN "warned_at" timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "api_keys" DROP COLUMN "addresses", DROP COLUMN "warned_at"`);
  }
}
