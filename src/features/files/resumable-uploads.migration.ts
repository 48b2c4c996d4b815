import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that come in several requests. */
export class ResumableUploads1700000000074 implements MigrationInterface {
  readonly name = 'ResumableUploads1700000000074';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "file_uploads" (
      "id" uuid NOT NULL,
      "object_id" uuid NOT NULL,
      "owner" uuid,
      "name" varchar(255) NOT NULL,
      "declared" varchar(255),
      "size" bigint NOT NULL,
      "position" bigint NOT NULL,
      "claim" uuid,
      "sha256" varchar(64),
      "target" jsonb,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "file_uploads_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query('CREATE INDEX "file_uploads_owner_idx" ON "file_uploads" ("owner")');
    await runner.query('CREATE INDEX "file_uploads_expires_idx" ON "file_uploads" ("expires_at")');
    await runner.query(`CREATE TABLE "file_upload_parts" (
      "upload_id" uuid NOT NULL,
      "position" bigint NOT NULL,
      "object_id" uuid NOT NULL,
      CONSTRAINT "file_upload_parts_pkey" PRIMARY KEY ("upload_id", "position"),
      CONSTRAINT "file_upload_parts_upload_fkey" FOREIGN KEY ("upload_id") REFERENCES "file_uploads" ("id") ON DELETE CASCADE
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "file_upload_parts"');
    await runner.query('DROP TABLE "file_uploads"');
  }
}
