import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a file is held back until it was looked at. */
export class HeldFiles1700000000072 implements MigrationInterface {
  readonly name = 'HeldFiles1700000000072';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "file_objects" ADD COLUMN "held" boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "file_objects" DROP COLUMN "held"');
  }
}
