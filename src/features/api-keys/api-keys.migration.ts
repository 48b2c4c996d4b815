import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const ApiKeys1700000000410 = tablesMigration(
  'ApiKeys1700000000410',
  `CREATE TABLE "api_keys" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "name" varchar(100) NOT NULL,
    "prefix" varchar(20) NOT NULL,
    "key_hash" varchar(64) NOT NULL,
    "scopes" jsonb,
    "schema_version" integer NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3),
    "rotated_at" timestamptz(3),
    "last_used_at" timestamptz(3),
    "addresses" jsonb,
    "warned_at" timestamptz(3),
    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_keys_hash_unique" UNIQUE ("key_hash"),
    CONSTRAINT "api_keys_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "api_keys_user_idx" ON "api_keys" ("user_id");
  CREATE INDEX "api_keys_expires_idx" ON "api_keys" ("expires_at");`,
);
