import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const OneTimeSecrets1700000000130 = tablesMigration(
  'OneTimeSecrets1700000000130',
  `CREATE TABLE "one_time_secrets" (
    "id" uuid NOT NULL,
    "purpose" varchar(40) NOT NULL,
    "user_id" uuid NOT NULL,
    -- Keyed hash (HMAC-SHA-256) over purpose and secret; codes include the account.
    "secret_hash" varchar(64) NOT NULL,
    "data" jsonb NOT NULL DEFAULT '{}',
    -- Null for a token, which cannot be guessed.
    "attempts_left" integer,
    "created_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "one_time_secrets_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "one_time_secrets_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "one_time_secrets_user_purpose_idx" ON "one_time_secrets" ("user_id", "purpose");
  CREATE INDEX "one_time_secrets_hash_idx" ON "one_time_secrets" ("secret_hash");
  CREATE INDEX "one_time_secrets_expires_idx" ON "one_time_secrets" ("expires_at");`,
);
