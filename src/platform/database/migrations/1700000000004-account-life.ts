import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refresh tokens, pending changes of address, and requests for a mail to some address. */
export class AccountLife1700000000004 implements MigrationInterface {
  readonly name = 'AccountLife1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "refresh_tokens" (
      "id" uuid NOT NULL,
      "session_id" uuid NOT NULL,
      "token_hash" varchar(64) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "used_at" timestamptz(3),
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "refresh_tokens_hash_unique" UNIQUE ("token_hash"),
      CONSTRAINT "refresh_tokens_session_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE INDEX "refresh_tokens_session_idx" ON "refresh_tokens" ("session_id")`);
    await runner.query(`CREATE INDEX "refresh_tokens_expires_idx" ON "refresh_tokens" ("expires_at")`);
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
    await runner.query(`CREATE TABLE "address_requests" (
      "id" uuid NOT NULL,
      "kind" varchar(40) NOT NULL,
      "email" varchar(320) NOT NULL,
      "data" jsonb NOT NULL DEFAULT '{}',
      "attempts" integer NOT NULL DEFAULT 0,
      "due_at" timestamptz(3) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "address_requests_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(`CREATE INDEX "address_requests_due_idx" ON "address_requests" ("due_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['address_requests', 'email_changes', 'refresh_tokens'])
      await runner.query(`DROP TABLE "${table}"`);
  }
}
