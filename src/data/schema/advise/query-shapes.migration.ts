import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the table of what lists asked of their tables, without values, for advice on indexes. */
export class QueryShapes1700000000081 implements MigrationInterface {
  readonly name = 'QueryShapes1700000000081';

  async up(runner: QueryRunner): Promise<void> {
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

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "query_shapes"');
  }
}
