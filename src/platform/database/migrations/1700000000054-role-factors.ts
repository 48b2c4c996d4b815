import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles that demand a second factor of their people. */
export class RoleFactors1700000000054 implements MigrationInterface {
  readonly name = 'RoleFactors1700000000054';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "roles" ADD COLUMN "mfa" varchar(10) NOT NULL DEFAULT 'optional',
      ADD COLUMN "mfa_grace_days" integer NOT NULL DEFAULT 0, ADD COLUMN "mfa_since" timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "roles" DROP COLUMN "mfa_since", DROP COLUMN "mfa_grace_days", DROP COLUMN "mfa"');
  }
}
