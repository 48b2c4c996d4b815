import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles that say how much their people may send. */
export class RoleFileQuota1700000000087 implements MigrationInterface {
  readonly name = 'RoleFileQuota1700000000087';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "roles" ADD COLUMN "file_quota" bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "roles" DROP COLUMN "file_quota"');
  }
}
