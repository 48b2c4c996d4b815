import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pictures in other sizes. */
export class PictureVariants1700000000075 implements MigrationInterface {
  readonly name = 'PictureVariants1700000000075';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "file_variants" (
      "source_id" uuid NOT NULL,
      "recipe" varchar(64) NOT NULL,
      "object_id" uuid,
      "is_refused" boolean NOT NULL,
      "claimed_until" timestamptz(3),
      CONSTRAINT "file_variants_pkey" PRIMARY KEY ("source_id", "recipe"),
      CONSTRAINT "file_variants_source_fkey" FOREIGN KEY ("source_id") REFERENCES "file_objects" ("id") ON DELETE CASCADE,
      CONSTRAINT "file_variants_object_fkey" FOREIGN KEY ("object_id") REFERENCES "file_objects" ("id") ON DELETE CASCADE
    )`);
    await runner.query('CREATE INDEX "file_variants_object_idx" ON "file_variants" ("object_id")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE "file_objects" SET "state" = 'doomed', "due_at" = now() WHERE "state" = 'variant'`);
    await runner.query('DROP TABLE "file_variants"');
  }
}
