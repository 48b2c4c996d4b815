import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the proofs of a session, and whether an account is asked for a second factor. */
export class SessionLevels1700000000047 implements MigrationInterface {
  readonly name = 'SessionLevels1700000000047';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "users" ADD COLUMN "second_factor" boolean NOT NULL DEFAULT false');
    await runner.query(`ALTER TABLE "sessions" ADD COLUMN "amr" varchar(40)[] NOT NULL DEFAULT '{}',
      ADD COLUMN "level" smallint NOT NULL DEFAULT 1, ADD COLUMN "level_at" timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "sessions" DROP COLUMN "level_at", DROP COLUMN "level", DROP COLUMN "amr"');
    await runner.query('ALTER TABLE "users" DROP COLUMN "second_factor"');
  }
}
