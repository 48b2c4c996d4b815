import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the directory to what is known of schema files, and to what is still to be written. */
export class SchemaFileDirectories1700000000043 implements MigrationInterface {
  readonly name = 'SchemaFileDirectories1700000000043';

  async up(runner: QueryRunner): Promise<void> {
    // Nobody can tell any more whose these are. A file that is left as it was says nothing new: it is known by its hash.
    await runner.query(`DELETE FROM "schema_file_writes"`);
    for (const table of ['schema_files', 'schema_file_writes'])
      await runner.query(`ALTER TABLE "${table}" ADD COLUMN "directory" varchar(36) NOT NULL DEFAULT '',
        DROP CONSTRAINT "${table}_pkey", ADD CONSTRAINT "${table}_pkey" PRIMARY KEY ("directory", "name")`);
    await runner.query(`ALTER TABLE "schema_files"
      ALTER COLUMN "hash" DROP NOT NULL, ADD COLUMN "noted_at" timestamptz(3) NOT NULL DEFAULT now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM "schema_file_writes"`);
    await runner.query(`DELETE FROM "schema_files" WHERE ("directory", "name") NOT IN (
      SELECT DISTINCT ON ("name") "directory", "name" FROM "schema_files" ORDER BY "name", "noted_at" DESC, "directory")
      OR "hash" IS NULL`);
    await runner.query(`ALTER TABLE "schema_files" DROP COLUMN "noted_at", ALTER COLUMN "hash" SET NOT NULL`);
    for (const table of ['schema_files', 'schema_file_writes'])
      await runner.query(`ALTER TABLE "${table}" DROP CONSTRAINT "${table}_pkey", DROP COLUMN "directory",
        ADD CONSTRAINT "${table}_pkey" PRIMARY KEY ("name")`);
  }
}
