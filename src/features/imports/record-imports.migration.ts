import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RecordImports1700000000440 implements MigrationInterface {
  readonly name = 'RecordImports1700000000440';

  async up(runner: QueryRunner): Promise<void> {
    await this.createImports(runner);
    await this.createRows(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "record_import_faults", "record_import_chunks", "record_imports"');
  }

  private async createImports(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "record_imports" (
      "id" uuid NOT NULL,
      "owner_id" uuid NOT NULL,
      "actor" jsonb NOT NULL,
      "schema" varchar(100) NOT NULL,
      "mode" varchar(10) NOT NULL,
      "query" jsonb NOT NULL,
      "media_type" varchar(255) NOT NULL,
      "state" varchar(10) NOT NULL,
      "applies_itself" boolean NOT NULL,
      "is_readable" boolean NOT NULL DEFAULT true,
      "skips_faulty" boolean NOT NULL DEFAULT false,
      "rows" integer NOT NULL DEFAULT 0,
      "blank" integer NOT NULL DEFAULT 0,
      "checked" integer NOT NULL DEFAULT 0,
      "would_create" integer NOT NULL DEFAULT 0,
      "would_update" integer NOT NULL DEFAULT 0,
      "applied" integer NOT NULL DEFAULT 0,
      "created" integer NOT NULL DEFAULT 0,
      "updated" integer NOT NULL DEFAULT 0,
      "removed" integer NOT NULL DEFAULT 0,
      "faults" integer NOT NULL DEFAULT 0,
      "ignored" jsonb NOT NULL DEFAULT '[]',
      "error" varchar(60),
      "can_be_undone" boolean NOT NULL DEFAULT true,
      "schema_version" integer NOT NULL DEFAULT 0,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "record_imports_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "record_imports_owner_fkey" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE CASCADE
    )`);
    await runner.query('CREATE INDEX "record_imports_owner_idx" ON "record_imports" ("owner_id")');
    await runner.query('CREATE INDEX "record_imports_expires_idx" ON "record_imports" ("expires_at")');
  }

  private async createRows(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "record_import_chunks" (
      "import_id" uuid NOT NULL,
      "n" integer NOT NULL,
      "rows" integer NOT NULL,
      "body" text,
      "made" jsonb,
      CONSTRAINT "record_import_chunks_pkey" PRIMARY KEY ("import_id", "n"),
      CONSTRAINT "record_import_chunks_import_fkey" FOREIGN KEY ("import_id") REFERENCES "record_imports" ("id") ON DELETE CASCADE
    )`);
    // Each body is read once and then deleted, so compression would cost more than it saves.
    await runner.query('ALTER TABLE "record_import_chunks" ALTER COLUMN "body" SET STORAGE EXTERNAL');
    await runner.query(`CREATE TABLE "record_import_faults" (
      "import_id" uuid NOT NULL,
      "row" integer NOT NULL,
      "field" varchar(200) NOT NULL,
      "code" varchar(60) NOT NULL,
      "message" text NOT NULL,
      "step" varchar(5) NOT NULL,
      CONSTRAINT "record_import_faults_pkey" PRIMARY KEY ("import_id", "row", "field"),
      CONSTRAINT "record_import_faults_import_fkey" FOREIGN KEY ("import_id") REFERENCES "record_imports" ("id") ON DELETE CASCADE
    )`);
  }
}
