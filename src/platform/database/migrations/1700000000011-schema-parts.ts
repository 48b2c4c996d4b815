import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Versions of the schemas share what is the same in them: a version names its schemas by hash, and each linked schema
 * stands once. What a version still has to write into files is noted with it.
 */
export class SchemaParts1700000000011 implements MigrationInterface {
  readonly name = 'SchemaParts1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    // `json` and not `jsonb`: the order of fields is the order of columns, and jsonb does not keep it.
    await runner.query(`CREATE TABLE "schema_parts" (
      "hash" varchar(64) NOT NULL,
      "body" json NOT NULL,
      CONSTRAINT "schema_parts_pkey" PRIMARY KEY ("hash")
    )`);
    await runner.query(`INSERT INTO "schema_parts" ("hash", "body")
      SELECT DISTINCT ON (part."value"->>'hash') part."value"->>'hash', part."value"
      FROM "schema_versions", json_each("snapshot"->'schemas') AS part`);
    await runner.query(`ALTER TABLE "schema_versions"
      ADD COLUMN "format" smallint, ADD COLUMN "parts" json, ADD COLUMN "lossy" boolean NOT NULL DEFAULT true`);
    await runner.query(`UPDATE "schema_versions" SET "format" = ("snapshot"->>'format')::smallint, "parts" = (
      SELECT json_object_agg(part."key", part."value"->>'hash') FROM json_each("snapshot"->'schemas') AS part)`);
    await runner.query(`ALTER TABLE "schema_versions"
      ALTER COLUMN "format" SET NOT NULL, ALTER COLUMN "parts" SET NOT NULL, ALTER COLUMN "lossy" DROP DEFAULT,
      DROP COLUMN "snapshot", DROP COLUMN "definitions"`);
    await runner.query(`CREATE TABLE "schema_file_writes" (
      "name" varchar(255) NOT NULL,
      "temporary" varchar(255),
      "former_hash" varchar(64),
      "hash" varchar(64),
      CONSTRAINT "schema_file_writes_pkey" PRIMARY KEY ("name")
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "schema_file_writes"`);
    await runner.query(`ALTER TABLE "schema_versions" ADD COLUMN "snapshot" json, ADD COLUMN "definitions" json`);
    await runner.query(`UPDATE "schema_versions" SET
      "snapshot" = json_build_object('format', "format", 'version', "version", 'hash', "hash", 'names', json_build_object(),
        'schemas', (SELECT json_object_agg(part."key", p."body") FROM json_each_text("parts") AS part
          JOIN "schema_parts" p ON p."hash" = part."value")),
      "definitions" = (SELECT json_agg(p."body"->'definition') FROM json_each_text("parts") AS part
        JOIN "schema_parts" p ON p."hash" = part."value")`);
    await runner.query(`ALTER TABLE "schema_versions"
      ALTER COLUMN "snapshot" SET NOT NULL, ALTER COLUMN "definitions" SET NOT NULL,
      DROP COLUMN "format", DROP COLUMN "parts", DROP COLUMN "lossy"`);
    await runner.query(`DROP TABLE "schema_parts"`);
  }
}
