import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BulkChanges1700000000430 implements MigrationInterface {
  readonly name = 'BulkChanges1700000000430';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "bulk_changes" (
      "id" uuid NOT NULL,
      "owner_id" uuid NOT NULL,
      "actor" jsonb NOT NULL,
      "schema" varchar(100) NOT NULL,
      "action" varchar(7) NOT NULL,
      "filter" text NOT NULL,
      "values" text,
      "state" varchar(10) NOT NULL,
      "total" integer NOT NULL,
      "seen" integer NOT NULL DEFAULT 0,
      "changed" integer NOT NULL DEFAULT 0,
      "last_key" text,
      "until_key" text,
      "error" varchar(60),
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "bulk_changes_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "bulk_changes_owner_fkey" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query('CREATE INDEX "bulk_changes_owner_idx" ON "bulk_changes" ("owner_id")');
    await runner.query('CREATE INDEX "bulk_changes_expires_idx" ON "bulk_changes" ("expires_at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "bulk_changes"');
  }
}
