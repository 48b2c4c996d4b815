import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of accounts, and the challenges that were answered. */
export class Passkeys1700000000070 implements MigrationInterface {
  readonly name = 'Passkeys1700000000070';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "passkeys" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "name" varchar(100) NOT NULL,
      "credential_id" varchar(1400) NOT NULL,
      "public_key" bytea NOT NULL,
      "sign_count" bigint NOT NULL,
      "transports" varchar(20) array NOT NULL DEFAULT '{}',
      "aaguid" uuid NOT NULL,
      "rp_id" varchar(255) NOT NULL,
      "verifies_user" boolean NOT NULL,
      "backup_eligible" boolean NOT NULL,
      "backed_up" boolean NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "last_used_at" timestamptz(3),
      CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "passkeys_credential_unique" UNIQUE ("credential_id"),
      CONSTRAINT "passkeys_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE INDEX "passkeys_user_idx" ON "passkeys" ("user_id")`);
    await runner.query(`CREATE TABLE "used_passkey_challenges" (
      "id" varchar(22) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "used_passkey_challenges_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(
      `CREATE INDEX "used_passkey_challenges_expires_idx" ON "used_passkey_challenges" ("expires_at")`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "used_passkey_challenges"`);
    await runner.query(`DROP TABLE "passkeys"`);
    await runner.query(`UPDATE "users" u SET "second_factor" = false WHERE "second_factor"
      AND NOT EXISTS (SELECT 1 FROM "totp_factors" t WHERE t."user_id" = u."id" AND t."expires_at" IS NULL)`);
  }
}
