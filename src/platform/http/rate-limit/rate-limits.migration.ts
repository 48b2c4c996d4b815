import { tablesMigration } from '../../database/tables.decorator.js';

export const RateLimits1700000000020 = tablesMigration(
  'RateLimits1700000000020',
  `-- Unlogged: attempts need not survive a crash, and writing them is cheaper.
  CREATE UNLOGGED TABLE "rate_limits" (
    "key" varchar(255) PRIMARY KEY,
    "points" integer NOT NULL DEFAULT 0,
    "expire" bigint
  );`,
);
