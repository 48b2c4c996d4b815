import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The PKCE challenge of the page that began a federated login. */
export class LoginChallenges1700000000015 implements MigrationInterface {
  readonly name = 'LoginChallenges1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "pending_logins" ADD COLUMN "code_challenge" varchar(43)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "pending_logins" DROP COLUMN "code_challenge"`);
  }
}
