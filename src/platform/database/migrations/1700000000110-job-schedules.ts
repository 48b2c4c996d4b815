import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The begin of the last run of a recurring job. */
export class JobSchedules1700000000110 implements MigrationInterface {
  readonly name = 'JobSchedules1700000000110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "background_jobs" ADD COLUMN "last_run_at" timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "background_jobs" DROP COLUMN "last_run_at"`);
  }
}
