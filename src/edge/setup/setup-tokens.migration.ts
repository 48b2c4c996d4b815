import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SetupTokens1700000000510 implements MigrationInterface {
  readonly name = 'SetupTokens1700000000510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "setup_tokens" (
      "id" smallint NOT NULL,
      "token_hash" varchar(64) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "setup_tokens_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "setup_tokens_single" CHECK ("id" = 1)
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "setup_tokens"');
  }
}
