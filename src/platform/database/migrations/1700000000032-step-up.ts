import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the person of a session last proved once more who they are. */
export class StepUp1700000000032 implements MigrationInterface {
  readonly name = 'StepUp1700000000032';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "sessions" ADD COLUMN "proven_at" timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "sessions" DROP COLUMN "proven_at"');
  }
}
