import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Restorations of many records that go on in the background. */
export class BulkRestorations1700000000085 implements MigrationInterface {
  readonly name = 'BulkRestorations1700000000085';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "bulk_changes" ALTER COLUMN "action" TYPE varchar(7)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM "bulk_changes" WHERE length("action") > 6`);
    await runner.query('ALTER TABLE "bulk_changes" ALTER COLUMN "action" TYPE varchar(6)');
  }
}
