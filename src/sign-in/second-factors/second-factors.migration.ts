import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SecondFactors1700000000220 implements MigrationInterface {
  readonly name = 'SecondFactors1700000000220';

  async up(runner: QueryRunner): Promise<void> {
    await this.createCodes(runner);
    await this.createPasskeys(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "used_passkey_challenges", "passkeys", "recovery_codes", "totp_factors"');
  }

  private async createCodes(runner: QueryRunner): Promise<void> {
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
    await runner.query('CREATE INDEX "totp_factors_user_idx" ON "totp_factors" ("user_id")');
    await runner.query('CREATE INDEX "totp_factors_expires_idx" ON "totp_factors" ("expires_at")');
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

  private async createPasskeys(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "passkeys" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "name" varchar(100) NOT NULL,
      "credential_id" varchar(1400) NOT NULL,
      "public_key" bytea NOT NULL,
      "sign_count" bigint NOT NULL,
      "transports" varchar(20)[] NOT NULL DEFAULT '{}',
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
    await runner.query('CREATE INDEX "passkeys_user_idx" ON "passkeys" ("user_id")');
    await runner.query(`CREATE TABLE "used_passkey_challenges" (
      "id" varchar(22) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "used_passkey_challenges_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(
      'CREATE INDEX "used_passkey_challenges_expires_idx" ON "used_passkey_challenges" ("expires_at")',
    );
  }
}
