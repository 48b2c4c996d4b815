import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Addresses that were given up and can be taken back get a table of their own; they were one-time secrets before. Whether
 * one of them had been proven was not kept, so it counts as unproven. Mailed secrets say which address they went to. The
 * table of pending changes goes: the secret that confirms a change is the pending change.
 */
export class EmailReservations1700000000014 implements MigrationInterface {
  readonly name = 'EmailReservations1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "email_reservations" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "email" varchar(320) NOT NULL,
      "email_key" varchar(320) NOT NULL,
      "email_verified_at" timestamptz(3),
      "created_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "email_reservations_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "email_reservations_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query(
      `CREATE INDEX "email_reservations_user_key_idx" ON "email_reservations" ("user_id", "email_key")`,
    );
    await runner.query(`CREATE INDEX "email_reservations_key_idx" ON "email_reservations" ("email_key")`);
    await runner.query(`CREATE INDEX "email_reservations_expires_idx" ON "email_reservations" ("expires_at")`);
    await runner.query(`INSERT INTO "email_reservations" ("id", "user_id", "email", "email_key", "created_at", "expires_at")
      SELECT c.id, c.user_id, c.data->>'oldEmail', lower(c.data->>'oldEmail'), c.created_at, c.expires_at
      FROM one_time_secrets c JOIN users u ON u.id = c.user_id
      WHERE c.purpose = 'email-cancel' AND lower(c.data->>'oldEmail') <> u.email_key
        AND EXISTS (SELECT 1 FROM one_time_secrets h WHERE h.purpose = 'address-hold' AND h.user_id = c.user_id)`);
    await runner.query(`DELETE FROM one_time_secrets WHERE purpose = 'address-hold'`);
    await runner.query(`UPDATE one_time_secrets s SET data = s.data || jsonb_build_object('email', u.email_key)
      FROM users u WHERE u.id = s.user_id
        AND s.purpose IN ('activation', 'activation-session', 'recovery', 'recovery-session', 'otp')`);
    await runner.query(`DROP TABLE "email_changes"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "email_changes" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "new_email" varchar(320) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "email_changes_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "email_changes_user_unique" UNIQUE ("user_id"),
      CONSTRAINT "email_changes_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`DROP TABLE "email_reservations"`);
  }
}
