import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A number that goes up whenever what opened an account before ends, so that a sign-in under way can tell. */
export class CredentialsVersion1700000000013 implements MigrationInterface {
  readonly name = 'CredentialsVersion1700000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "users" ADD COLUMN "credentials_version" integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "users" DROP COLUMN "credentials_version"`);
  }
}
