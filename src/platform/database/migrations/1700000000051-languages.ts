import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose mails and pages are in the language of their person. */
export class Languages1700000000051 implements MigrationInterface {
  readonly name = 'Languages1700000000051';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "users" ADD COLUMN "language" varchar(35)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "users" DROP COLUMN "language"');
  }
}
