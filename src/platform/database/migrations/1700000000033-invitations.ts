import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts that wait for the person whom an administrator made them for. */
export class Invitations1700000000033 implements MigrationInterface {
  readonly name = 'Invitations1700000000033';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "users" ADD COLUMN "invited" boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "users" DROP COLUMN "invited"');
  }
}
