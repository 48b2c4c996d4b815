import { tablesMigration } from './tables.decorator.js';

export const ChangeNotices1700000000010 = tablesMigration(
  'ChangeNotices1700000000010',
  `CREATE TABLE "change_notices" (
    "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "topic" text NOT NULL,
    "key" text NOT NULL,
    "created_at" timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX "change_notices_xid_idx" ON "change_notices" ("xid");`,
);
