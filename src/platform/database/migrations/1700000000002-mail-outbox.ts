import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails that are owed: written in the transaction of what causes them, deleted once they are sent. */
export class MailOutbox1700000000002 implements MigrationInterface {
  readonly name = 'MailOutbox1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "mail_outbox" (
      "id" uuid NOT NULL,
      "template" varchar(60) NOT NULL,
      "recipient" varchar(320) NOT NULL,
      "sealed_content" bytea NOT NULL,
      "attempts" integer NOT NULL DEFAULT 0,
      "claim_id" uuid,
      "due_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3),
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "mail_outbox_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(`CREATE INDEX "mail_outbox_due_idx" ON "mail_outbox" ("due_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "mail_outbox"');
  }
}
