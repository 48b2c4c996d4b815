import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const Auth1700000000120 = tablesMigration(
  'Auth1700000000120',
  `CREATE TABLE "sessions" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "provider" varchar(40) NOT NULL,
    "device" varchar(255),
    "address" varchar(64),
    "created_at" timestamptz(3) NOT NULL,
    "last_used_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    "proven_at" timestamptz(3),
    "amr" varchar(40)[] NOT NULL DEFAULT '{}',
    "level" smallint NOT NULL DEFAULT 1,
    "level_at" timestamptz(3),
    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sessions_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "sessions_user_idx" ON "sessions" ("user_id");
  CREATE INDEX "sessions_expires_idx" ON "sessions" ("expires_at");
  CREATE TABLE "refresh_tokens" (
    "id" uuid NOT NULL,
    "session_id" uuid NOT NULL,
    "token_hash" varchar(64) NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "used_at" timestamptz(3),
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "refresh_tokens_hash_unique" UNIQUE ("token_hash"),
    CONSTRAINT "refresh_tokens_session_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "refresh_tokens_session_idx" ON "refresh_tokens" ("session_id");
  CREATE INDEX "refresh_tokens_expires_idx" ON "refresh_tokens" ("expires_at");
  CREATE TABLE "used_carriers" (
    "id" uuid NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "used_carriers_pkey" PRIMARY KEY ("id")
  );
  CREATE INDEX "used_carriers_expires_idx" ON "used_carriers" ("expires_at");
  CREATE TABLE "code_requesters" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "kind" varchar(40) NOT NULL,
    -- Keyed hashes: of the address block or the session_id of the client, of its address block, and of the network that the attempt counts for.
    "requester" varchar(64) NOT NULL,
    "client" varchar(64) NOT NULL,
    "network" varchar(64) NOT NULL,
    -- Whether the account has a session in the network: strangers cannot use up its attempts.
    "is_known" boolean NOT NULL,
    -- Keyed hashes of the codes that were mailed last. Typing one of them is not a guess.
    "codes" varchar(64)[] NOT NULL DEFAULT '{}',
    "attempted" boolean NOT NULL DEFAULT false,
    "created_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "code_requesters_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "code_requesters_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "code_requesters_user_idx" ON "code_requesters" ("user_id", "kind", "requester");
  CREATE INDEX "code_requesters_expires_idx" ON "code_requesters" ("expires_at");`,
);
