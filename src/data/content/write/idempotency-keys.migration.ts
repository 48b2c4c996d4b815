import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IdempotencyKeys1700000000320 implements MigrationInterface {
  readonly name = 'IdempotencyKeys1700000000320';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "idempotency_keys" (
      "id" varchar(43) NOT NULL,
      "request_hash" varchar(43) NOT NULL,
      "status" smallint,
      "headers" json,
      "body" text,
      "created_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      "bare" text,
      "seen_as" varchar(43),
      CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query('CREATE INDEX "idempotency_keys_expires_idx" ON "idempotency_keys" ("expires_at")');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "idempotency_keys"');
  }
}
