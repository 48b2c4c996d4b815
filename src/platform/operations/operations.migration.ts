import { tablesMigration } from '../database/tables.decorator.js';

export const BackgroundOperations1700000000430 = tablesMigration(
  'BackgroundOperations1700000000430',
  `CREATE TABLE "background_operations" (
    "id" uuid NOT NULL,
    "kind" varchar(60) NOT NULL,
    "owner_id" uuid NOT NULL,
    "state" varchar(20) NOT NULL,
    "total" integer NOT NULL,
    "done" integer NOT NULL DEFAULT 0,
    "cursor" text,
    "error" varchar(60),
    "input" jsonb NOT NULL,
    "progress" jsonb NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "background_operations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "background_operations_owner_fkey" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "background_operations_owner_idx" ON "background_operations" ("owner_id");
  CREATE INDEX "background_operations_expires_idx" ON "background_operations" ("expires_at");`,
);
