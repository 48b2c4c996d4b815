import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Schema1700000000310 implements MigrationInterface {
  readonly name = 'Schema1700000000310';

  async up(runner: QueryRunner): Promise<void> {
    await this.createVersions(runner);
    await this.createFiles(runner);
    await this.createQueryShapes(runner);
    await this.createInputCheck(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION lintel_input_is_valid(text, text)');
    await runner.query(
      'DROP TABLE "query_shapes", "schema_file_writes", "schema_files", "schema_leftovers", "schema_parts", "schema_versions"',
    );
  }

  private async createVersions(runner: QueryRunner): Promise<void> {
    // `json`, not `jsonb`: the order of fields is the column order, and jsonb does not preserve it.
    await runner.query(`CREATE TABLE "schema_versions" (
      "version" integer NOT NULL,
      "hash" varchar(64) NOT NULL,
      "words" json NOT NULL,
      "pending" json NOT NULL,
      "origin" varchar(20) NOT NULL,
      "created_by" uuid,
      "created_at" timestamptz(3) NOT NULL,
      "format" smallint NOT NULL,
      "parts" json NOT NULL,
      "lossy" boolean NOT NULL,
      "history" json NOT NULL,
      CONSTRAINT "schema_versions_pkey" PRIMARY KEY ("version")
    )`);
    await runner.query(`CREATE TABLE "schema_parts" (
      "hash" varchar(64) NOT NULL,
      "body" json NOT NULL,
      CONSTRAINT "schema_parts_pkey" PRIMARY KEY ("hash")
    )`);
    await runner.query(`CREATE TABLE "schema_leftovers" (
      "name" varchar(63) NOT NULL,
      "kind" varchar(10) NOT NULL,
      "version" integer NOT NULL,
      "dropped_at" timestamptz(3) NOT NULL,
      CONSTRAINT "schema_leftovers_pkey" PRIMARY KEY ("name")
    )`);
  }

  private async createFiles(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "schema_files" (
      "name" varchar(255) NOT NULL,
      "hash" varchar(64),
      "directory" varchar(36) NOT NULL DEFAULT '',
      "noted_at" timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT "schema_files_pkey" PRIMARY KEY ("directory", "name")
    )`);
    await runner.query(`CREATE TABLE "schema_file_writes" (
      "name" varchar(255) NOT NULL,
      "temporary" varchar(255),
      "former_hash" varchar(64),
      "hash" varchar(64),
      "directory" varchar(36) NOT NULL DEFAULT '',
      CONSTRAINT "schema_file_writes_pkey" PRIMARY KEY ("directory", "name")
    )`);
  }

  private async createQueryShapes(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "query_shapes" (
      "id" char(64) NOT NULL,
      "shape" jsonb NOT NULL,
      "seen" bigint NOT NULL,
      "milliseconds" double precision NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "query_shapes_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query('CREATE INDEX "query_shapes_expires_idx" ON "query_shapes" ("expires_at")');
  }

  private async createInputCheck(runner: QueryRunner): Promise<void> {
    // PostgreSQL 15 has no `pg_input_is_valid`.
    await runner.query(`CREATE FUNCTION lintel_input_is_valid(value text, type text) RETURNS boolean
      LANGUAGE plpgsql STABLE STRICT AS $$
      BEGIN
        EXECUTE format('SELECT %L::%s', value, type);
        RETURN true;
      EXCEPTION WHEN data_exception OR syntax_error_or_access_rule_violation OR program_limit_exceeded THEN
        RETURN false;
      END $$`);
  }
}
