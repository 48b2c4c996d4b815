import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One table of background work. What two tables held before moves there, and back. */
export class Jobs1700000000020 implements MigrationInterface {
  readonly name = 'Jobs1700000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "background_jobs" (
      "id" uuid NOT NULL,
      "kind" varchar(60) NOT NULL,
      "unique_key" varchar(200),
      "payload" jsonb NOT NULL DEFAULT '{}',
      "state" varchar(10) NOT NULL DEFAULT 'due',
      "attempts" integer NOT NULL DEFAULT 0,
      "claim_id" uuid,
      "progress" jsonb,
      "fault" varchar(300),
      "due_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3),
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "background_jobs_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(
      `CREATE INDEX "background_jobs_due_idx" ON "background_jobs" ("kind", "due_at") WHERE state = 'due'`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX "background_jobs_unique_key" ON "background_jobs" ("kind", "unique_key") WHERE state = 'due'`,
    );
    await runner.query('CREATE INDEX "background_jobs_expires_idx" ON "background_jobs" ("expires_at")');
    await runner.query(`INSERT INTO background_jobs (id, kind, payload, attempts, due_at, expires_at, created_at)
      SELECT id, 'mail.send', jsonb_build_object('template', template, 'recipient', recipient,
        'sealedContent', translate(encode(sealed_content, 'base64'), E'\\n', '')), attempts, due_at, expires_at, created_at
      FROM mail_outbox`);
    await runner.query(`INSERT INTO background_jobs (id, kind, payload, attempts, due_at, expires_at, created_at)
      SELECT id, 'mail.request', jsonb_build_object('kind', kind, 'email', email, 'data', data), attempts, due_at,
        created_at + interval '10 minutes', created_at
      FROM address_requests`);
    await runner.query('DROP TABLE "address_requests"');
    await runner.query('DROP TABLE "mail_outbox"');
  }

  async down(runner: QueryRunner): Promise<void> {
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
    await runner.query(`CREATE TABLE "address_requests" (
      "id" uuid NOT NULL,
      "kind" varchar(40) NOT NULL,
      "email" varchar(320) NOT NULL,
      "data" jsonb NOT NULL DEFAULT '{}',
      "attempts" integer NOT NULL DEFAULT 0,
      "due_at" timestamptz(3) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "address_requests_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(`CREATE INDEX "address_requests_due_idx" ON "address_requests" ("due_at")`);
    await runner.query(`INSERT INTO mail_outbox (id, template, recipient, sealed_content, attempts, due_at, expires_at, created_at)
      SELECT id, payload ->> 'template', payload ->> 'recipient', decode(payload ->> 'sealedContent', 'base64'), attempts,
        due_at, expires_at, created_at
      FROM background_jobs WHERE kind = 'mail.send' AND state = 'due'`);
    await runner.query(`INSERT INTO address_requests (id, kind, email, data, attempts, due_at, created_at)
      SELECT id, payload ->> 'kind', payload ->> 'email', payload -> 'data', attempts, due_at, created_at
      FROM background_jobs WHERE kind = 'mail.request' AND state = 'due'`);
    await runner.query('DROP TABLE "background_jobs"');
  }
}
