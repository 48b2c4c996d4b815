import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Files that go to the bucket past the service. */
export class DirectUploads1700000000086 implements MigrationInterface {
  readonly name = 'DirectUploads1700000000086';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "file_direct_uploads" (
      "id" uuid NOT NULL,
      "object_id" uuid NOT NULL,
      "owner" uuid,
      "name" varchar(255) NOT NULL,
      "declared" varchar(255),
      "size" bigint NOT NULL,
      "part_size" bigint NOT NULL,
      "checksums" jsonb NOT NULL,
      "sha256" varchar(64),
      "target" jsonb,
      "store_id" varchar(1024),
      "claim" uuid,
      "claimed_until" timestamptz(3),
      "answer" jsonb,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "file_direct_uploads_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query('CREATE INDEX "file_direct_uploads_owner_idx" ON "file_direct_uploads" ("owner")');
    await runner.query('CREATE INDEX "file_direct_uploads_expires_idx" ON "file_direct_uploads" ("expires_at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "file_direct_uploads"');
  }
}
