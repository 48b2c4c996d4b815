import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Versions of the schemas know what the names in them stood for before, and permissions at which version they were
 * saved: together they say whether a permission means what has a name now. Permissions that are there mean what is there.
 */
export class PermissionNames1700000000017 implements MigrationInterface {
  readonly name = 'PermissionNames1700000000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "schema_versions"
      ADD COLUMN "history" json NOT NULL DEFAULT '{"retired":{},"retaken":{}}'`);
    await runner.query(`ALTER TABLE "schema_versions" ALTER COLUMN "history" DROP DEFAULT`);
    // What was dropped until now is known from the versions: by the last that had it.
    await runner.query(`WITH
      used AS (SELECT part."key" AS name, part."value" AS hash, max(v."version") AS version
        FROM "schema_versions" v, json_each_text(v."parts") AS part GROUP BY 1, 2),
      known AS (SELECT u.name, u.version, p."body" FROM used u JOIN "schema_parts" p ON p."hash" = u.hash),
      newest AS (SELECT name, body FROM known WHERE version = (SELECT max("version") FROM "schema_versions")),
      gone AS (
        (SELECT DISTINCT ON (k.name) k.name AS key, k.body->>'id' AS id FROM known k
          WHERE NOT EXISTS (SELECT 1 FROM newest n WHERE n.name = k.name) ORDER BY k.name, k.version DESC)
        UNION ALL
        (SELECT DISTINCT ON (k.name, f.key) k.name || '.' || f.key, f.value->>'id'
          FROM known k JOIN newest n ON n.name = k.name AND n.body->>'id' = k.body->>'id', json_each(k.body->'fields') AS f
          WHERE n.body->'fields'->f.key IS NULL ORDER BY k.name, f.key, k.version DESC))
      UPDATE "schema_versions" SET "history" = json_build_object(
        'retired', coalesce((SELECT json_object_agg(key, id) FROM gone), '{}'), 'retaken', '{}'::json)
      WHERE "version" = (SELECT max("version") FROM "schema_versions")`);
    await runner.query(`ALTER TABLE "permissions" ADD COLUMN "schema_version" integer NOT NULL DEFAULT 0`);
    await runner.query(`UPDATE "permissions"
      SET "schema_version" = coalesce((SELECT max("version") FROM "schema_versions"), 0)`);
    // What was meant to deny and was misspelt denied nothing.
    await runner.query(`UPDATE "permissions" SET "value" = 'deny'
      WHERE lower(btrim("value", E' \\t\\r\\n')) = 'deny' AND "value" <> 'deny'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "permissions" DROP COLUMN "schema_version"`);
    await runner.query(`ALTER TABLE "schema_versions" DROP COLUMN "history"`);
  }
}
