import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Files1700000000420 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createFiles(runner);
    await this.createObjects(runner);
    await this.createUploads(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "file_uploads", "file_variants", "file_objects", "files"');
  }

  private async createFiles(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "files" (
      "id" uuid NOT NULL,
      "name" varchar(255) NOT NULL,
      "disk" varchar(40) NOT NULL,
      "path" varchar(1024) NOT NULL,
      "type" varchar(255) NOT NULL,
      "size" bigint NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "sha256" varchar(64) NOT NULL,
      "width" integer,
      "height" integer,
      "uploaded_by" uuid,
      "deleted_at" timestamptz(3),
      CONSTRAINT "files_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query('CREATE INDEX "files_deleted_idx" ON "files" ("deleted_at")');
    await runner.query('CREATE INDEX "files_uploaded_by_idx" ON "files" ("uploaded_by")');
  }

  /**
   * An object is a file of the storage, under its id. Its bytes never change: a replacement is a new object. The storage never contains an
   * object without a row. States:
   *
   * - `pending`: being uploaded until `due_at`; `size` is announced, 0 if unknown. `position` is set for a segment of a resumable upload.
   * - `live`: the current bytes of its file. `unlinked_at`: when the sweeper found no record that links it. `held`: not scanned yet.
   * - `variant`: an image in another size, created from a live object.
   * - `doomed`: no longer used; removed at `due_at`.
   *
   * `owner` is the account whose quota it uses. `recognised` is the type by its signature. A variant without an object is being created,
   * or `is_refused`: finally if `claimed_until` is null.
   */
  private async createObjects(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "file_objects" (
      "id" uuid NOT NULL,
      "file_id" uuid NOT NULL,
      "owner" uuid,
      "disk" varchar(40) NOT NULL,
      "state" varchar(10) NOT NULL,
      "size" bigint NOT NULL,
      "sha256" varchar(64),
      "type" varchar(255),
      "recognised" varchar(255),
      "created_at" timestamptz(3) NOT NULL,
      "due_at" timestamptz(3),
      "unlinked_at" timestamptz(3),
      "position" bigint,
      "held" boolean NOT NULL DEFAULT false,
      CONSTRAINT "file_objects_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(
      `CREATE UNIQUE INDEX "file_objects_live_unique" ON "file_objects" ("file_id") WHERE state = 'live'`,
    );
    await runner.query('CREATE INDEX "file_objects_file_idx" ON "file_objects" ("file_id")');
    await runner.query('CREATE INDEX "file_objects_owner_idx" ON "file_objects" ("owner")');
    await runner.query('CREATE INDEX "file_objects_due_idx" ON "file_objects" ("due_at")');
    await runner.query('CREATE INDEX "file_objects_unlinked_idx" ON "file_objects" ("unlinked_at")');
    await runner.query('CREATE INDEX "file_objects_held_idx" ON "file_objects" ("id") WHERE held');
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

  /**
   * Uploads that take several requests: tus, or directly to the bucket. The id becomes the id of the file, and `object_id` is the pending
   * object that reserves quota. Only `owner` may continue it, null for a guest. `position` counts the bytes that the server received.
   * `parts` and `store_id` belong to direct uploads. `claimed_until`: until then no other request can claim it.
   */
  private async createUploads(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "file_uploads" (
      "id" uuid NOT NULL,
      "object_id" uuid NOT NULL,
      "owner" uuid,
      "name" varchar(255) NOT NULL,
      "declared" varchar(255),
      "size" bigint NOT NULL,
      "sha256" varchar(64),
      "target" jsonb,
      "position" bigint NOT NULL,
      "parts" jsonb NOT NULL,
      "store_id" varchar(1024),
      "claim" uuid,
      "claimed_until" timestamptz(3),
      "answer" jsonb,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "file_uploads_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query('CREATE INDEX "file_uploads_owner_idx" ON "file_uploads" ("owner")');
    await runner.query('CREATE INDEX "file_uploads_expires_idx" ON "file_uploads" ("expires_at")');
  }
}
