import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Browsers that are not asked for the second factor again. */
export class RememberedDevices1700000000071 implements MigrationInterface {
  readonly name = 'RememberedDevices1700000000071';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "remembered_devices" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "token_hash" varchar(64) NOT NULL,
      "credentials_version" integer NOT NULL,
      "device" varchar(255),
      "address" varchar(64),
      "created_at" timestamptz(3) NOT NULL,
      "last_used_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "remembered_devices_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "remembered_devices_token_unique" UNIQUE ("token_hash"),
      CONSTRAINT "remembered_devices_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE INDEX "remembered_devices_user_idx" ON "remembered_devices" ("user_id")`);
    await runner.query(`CREATE INDEX "remembered_devices_expires_idx" ON "remembered_devices" ("expires_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "remembered_devices"`);
  }
}
