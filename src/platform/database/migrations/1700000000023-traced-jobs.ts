import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The trace of what enqueued a job. */
export class TracedJobs1700000000023 implements MigrationInterface {
  readonly name = 'TracedJobs1700000000023';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "background_jobs" ADD COLUMN "traceparent" varchar(64)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "background_jobs" DROP COLUMN "traceparent"`);
  }
}
