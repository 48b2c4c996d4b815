import { tablesMigration } from '../../../platform/database/tables.decorator.js';

export const IdempotencyKeys1700000000320 = tablesMigration(
  'IdempotencyKeys1700000000320',
  `CREATE TABLE "idempotency_keys" (
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
  );
  CREATE INDEX "idempotency_keys_expires_idx" ON "idempotency_keys" ("expires_at");`,
);
