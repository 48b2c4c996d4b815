import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const Social1700000000210 = tablesMigration(
  'Social1700000000210',
  `CREATE TABLE "identities" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "provider" varchar(40) NOT NULL,
    "issuer" varchar(512) NOT NULL,
    "subject" varchar(255) NOT NULL,
    "email" varchar(320),
    "email_verified" boolean NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "last_used_at" timestamptz(3) NOT NULL,
    CONSTRAINT "identities_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "identities_issuer_subject_unique" UNIQUE ("issuer", "subject"),
    CONSTRAINT "identities_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "identities_user_idx" ON "identities" ("user_id");
  CREATE TABLE "admin_grants" (
    "email_key" varchar(320) NOT NULL,
    "user_id" uuid,
    "granted_at" timestamptz(3) NOT NULL,
    CONSTRAINT "admin_grants_pkey" PRIMARY KEY ("email_key"),
    CONSTRAINT "admin_grants_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE SET NULL
  );
  CREATE TABLE "pending_logins" (
    "id" uuid NOT NULL,
    "provider" varchar(40) NOT NULL,
    "binding_hash" varchar(64) NOT NULL,
    "nonce" varchar(64) NOT NULL,
    "carrier" text,
    "link_session_id" uuid,
    "is_step_up" boolean NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    "code_challenge" varchar(43),
    CONSTRAINT "pending_logins_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "pending_logins_session_fkey" FOREIGN KEY ("link_session_id") REFERENCES "sessions" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "pending_logins_link_session_idx" ON "pending_logins" ("link_session_id");
  CREATE INDEX "pending_logins_expires_idx" ON "pending_logins" ("expires_at");`,
);
