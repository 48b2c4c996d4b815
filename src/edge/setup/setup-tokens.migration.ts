import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const SetupTokens1700000000510 = tablesMigration(
  'SetupTokens1700000000510',
  `CREATE TABLE "setup_tokens" (
    "id" smallint NOT NULL,
    "token_hash" varchar(64) NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    CONSTRAINT "setup_tokens_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "setup_tokens_single" CHECK ("id" = 1)
  );`,
);
