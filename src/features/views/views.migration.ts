import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const Views1700000000450 = tablesMigration(
  'Views1700000000450',
  `CREATE TABLE "views" (
    "id" uuid NOT NULL,
    "name" varchar(100) NOT NULL,
    "schema" varchar(100) NOT NULL,
    "query" jsonb NOT NULL,
    "owner_id" uuid,
    "role_id" uuid,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "views_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "views_owner_fkey" FOREIGN KEY ("owner_id") REFERENCES "users" ("id") ON DELETE CASCADE,
    CONSTRAINT "views_role_fkey" FOREIGN KEY ("role_id") REFERENCES "roles" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "views_owner_idx" ON "views" ("owner_id");
  CREATE INDEX "views_role_idx" ON "views" ("role_id");`,
);
