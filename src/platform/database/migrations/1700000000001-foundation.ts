import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, roles, permissions and sessions, and what all instances share: notices of changes and counted attempts. */
export class Foundation1700000000001 implements MigrationInterface {
  readonly name = 'Foundation1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "users" (
      "id" uuid NOT NULL,
      "email" varchar(320) NOT NULL,
      "email_key" varchar(320) NOT NULL,
      "email_verified_at" timestamptz(3),
      "username" varchar(100),
      "username_key" varchar(200),
      "password_hash" varchar(255),
      "first_name" varchar(255),
      "last_name" varchar(255),
      "provider" varchar(40) NOT NULL DEFAULT 'local',
      "activated" boolean NOT NULL DEFAULT false,
      "activated_at" timestamptz(3),
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      CONSTRAINT "users_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "users_email_key_unique" UNIQUE ("email_key"),
      CONSTRAINT "users_username_key_unique" UNIQUE ("username_key")
    )`);
    await runner.query(`CREATE TABLE "roles" (
      "id" uuid NOT NULL,
      "name" varchar(100) NOT NULL,
      "description" text,
      "root" boolean NOT NULL DEFAULT false,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      CONSTRAINT "roles_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "roles_name_unique" UNIQUE ("name")
    )`);
    await runner.query(`CREATE TABLE "permissions" (
      "id" uuid NOT NULL,
      "role_id" uuid NOT NULL,
      "resource" varchar(255) NOT NULL,
      "value" text NOT NULL,
      "fields" jsonb,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      CONSTRAINT "permissions_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "permissions_role_resource_unique" UNIQUE ("role_id", "resource"),
      CONSTRAINT "permissions_role_fkey" FOREIGN KEY ("role_id") REFERENCES "roles" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE TABLE "user_roles" (
      "user_id" uuid NOT NULL,
      "role_id" uuid NOT NULL,
      CONSTRAINT "user_roles_pkey" PRIMARY KEY ("user_id", "role_id"),
      CONSTRAINT "user_roles_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE,
      CONSTRAINT "user_roles_role_fkey" FOREIGN KEY ("role_id") REFERENCES "roles" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE INDEX "user_roles_role_idx" ON "user_roles" ("role_id")`);
    await runner.query(`CREATE TABLE "sessions" (
      "id" uuid NOT NULL,
      "user_id" uuid NOT NULL,
      "provider" varchar(40) NOT NULL,
      "device" varchar(255),
      "address" varchar(64),
      "created_at" timestamptz(3) NOT NULL,
      "last_used_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "sessions_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "sessions_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query(`CREATE INDEX "sessions_user_idx" ON "sessions" ("user_id")`);
    await runner.query(`CREATE INDEX "sessions_expires_idx" ON "sessions" ("expires_at")`);
    await runner.query(`CREATE TABLE "change_notices" (
      "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
      "topic" text NOT NULL,
      "key" text NOT NULL,
      "created_at" timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query(`CREATE INDEX "change_notices_xid_idx" ON "change_notices" ("xid")`);
    // Counted attempts need not survive a crash, and writing no log of them makes them cheap.
    await runner.query(`CREATE UNLOGGED TABLE "rate_limits" (
      "key" varchar(255) PRIMARY KEY,
      "points" integer NOT NULL DEFAULT 0,
      "expire" bigint
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['rate_limits', 'change_notices', 'sessions', 'user_roles', 'permissions', 'roles', 'users']) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}
