import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of accounts, and the codes for who has lost them. */
export class SecondFactors1700000000048 implements MigrationInterface {
  readonly name = 'SecondFactors1700000000048';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "totp_factors" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "name" varchar(100) NOT NULL,
      "sealed_secret" text NOT NULL,
      "last_step" integer NOT NULL DEFAULT 0,
      "created_at" timestamptz(3) NOT NULL,
      "last_used_at" timestamptz(3),
      "expires_at" timestamptz(3),
      CONSTRAINT "totp_factors_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "totp_factors_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE INDEX "totp_factors_user_idx" ON "totp_factors" ("user_id")`);
    await runner.query(`CREATE INDEX "totp_factors_expires_idx" ON "totp_factors" ("expires_at")`);
    await runner.query(`CREATE TABLE "recovery_codes" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "code_hash" varchar(64) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "recovery_codes_hash_unique" UNIQUE ("user_id", "code_hash"),
      CONSTRAINT "recovery_codes_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "recovery_codes"`);
    await runner.query(`DROP TABLE "totp_factors"`);
    await runner.query(`UPDATE "users" SET "second_factor" = false WHERE "second_factor"`);
  }
}
