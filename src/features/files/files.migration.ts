import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The objects that hold the bytes of files, and what is known of these. */
export class Files1700000000060 implements MigrationInterface {
  readonly name = 'Files1700000000060';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "files" ADD COLUMN "sha256" varchar(64) NOT NULL DEFAULT '',
      ADD COLUMN "width" integer, ADD COLUMN "height" integer, ADD COLUMN "uploaded_by" uuid, ADD COLUMN "deleted_at" timestamptz(3)`);
    await runner.query('ALTER TABLE "files" ALTER COLUMN "sha256" DROP DEFAULT');
    await runner.query('CREATE INDEX "files_deleted_idx" ON "files" ("deleted_at")');
    await runner.query('CREATE INDEX "files_uploaded_by_idx" ON "files" ("uploaded_by")');
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
      CONSTRAINT "file_objects_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(
      `CREATE UNIQUE INDEX "file_objects_live_unique" ON "file_objects" ("file_id") WHERE state = 'live'`,
    );
    await runner.query('CREATE INDEX "file_objects_file_idx" ON "file_objects" ("file_id")');
    await runner.query('CREATE INDEX "file_objects_owner_idx" ON "file_objects" ("owner")');
    await runner.query('CREATE INDEX "file_objects_due_idx" ON "file_objects" ("due_at")');
    await runner.query('CREATE INDEX "file_objects_unlinked_idx" ON "file_objects" ("unlinked_at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "file_objects"');
    await runner.query('DROP INDEX "files_deleted_idx"');
    await runner.query('DROP INDEX "files_uploaded_by_idx"');
    for (const column of ['sha256', 'width', 'height', 'uploaded_by', 'deleted_at'])
      await runner.query(`ALTER TABLE "files" DROP COLUMN "${column}"`);
  }
}
