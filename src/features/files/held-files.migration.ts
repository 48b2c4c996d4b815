import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a file is held back until it was looked at. */
export class HeldFiles1700000000072 implements MigrationInterface {
  readonly name = 'HeldFiles1700000000072';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "file_objects" ADD COLUMN "held" boolean NOT NULL DEFAULT false');
    await runner.query('CREATE INDEX "file_objects_held_idx" ON "file_objects" ("id") WHERE held');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX "file_objects_held_idx"');
    await runner.query('ALTER TABLE "file_objects" DROP COLUMN "held"');
  }
}
