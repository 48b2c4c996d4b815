import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Versions of the schemas, what they dropped and kept aside, which files were applied, and the table of files. */
export class Schema1700000000010 implements MigrationInterface {
  readonly name = 'Schema1700000000010';

  async up(runner: QueryRunner): Promise<void> {
    // `json` and not `jsonb`: the order of fields is the order of columns, and jsonb does not keep it.
    await runner.query(`CREATE TABLE "schema_versions" (
      "version" integer NOT NULL,
      "hash" varchar(64) NOT NULL,
      "snapshot" json NOT NULL,
      "definitions" json NOT NULL,
      "words" json NOT NULL,
      "pending" json NOT NULL,
      "origin" varchar(20) NOT NULL,
      "created_by" uuid,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "schema_versions_pkey" PRIMARY KEY ("version")
    )`);
    await runner.query(`CREATE TABLE "schema_leftovers" (
      "name" varchar(63) NOT NULL,
      "kind" varchar(10) NOT NULL,
      "version" integer NOT NULL,
      "dropped_at" timestamptz(3) NOT NULL,
      CONSTRAINT "schema_leftovers_pkey" PRIMARY KEY ("name")
    )`);
    await runner.query(`CREATE TABLE "schema_files" (
      "name" varchar(255) NOT NULL,
      "hash" varchar(64) NOT NULL,
      CONSTRAINT "schema_files_pkey" PRIMARY KEY ("name")
    )`);
    await runner.query(`CREATE TABLE "files" (
      "id" uuid NOT NULL,
      "name" varchar(255) NOT NULL,
      "disk" varchar(40) NOT NULL,
      "path" varchar(1024) NOT NULL,
      "type" varchar(255) NOT NULL,
      "size" bigint NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      CONSTRAINT "files_pkey" PRIMARY KEY ("id")
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['files', 'schema_files', 'schema_leftovers', 'schema_versions'])
      await runner.query(`DROP TABLE "${table}"`);
  }
}
