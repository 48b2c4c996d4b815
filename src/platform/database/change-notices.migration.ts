import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ChangeNotices1700000000010 implements MigrationInterface {
  readonly name = 'ChangeNotices1700000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "change_notices" (
      "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
      "topic" text NOT NULL,
      "key" text NOT NULL,
      "created_at" timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query('CREATE INDEX "change_notices_xid_idx" ON "change_notices" ("xid")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "change_notices"');
  }
}
