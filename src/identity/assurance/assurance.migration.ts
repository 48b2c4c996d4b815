import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const SecondFactors1700000000220 = tablesMigration(
  'SecondFactors1700000000220',
  `CREATE TABLE "totp_factors" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "name" varchar(100) NOT NULL,
    -- The encrypted secret survives a change of APP_KEY.
    "sealed_secret" text NOT NULL,
    -- The newest time step whose code was used. Older steps are refused (RFC 6238, section 5.2).
    "last_step" integer NOT NULL DEFAULT 0,
    "created_at" timestamptz(3) NOT NULL,
    "last_used_at" timestamptz(3),
    -- Deadline for the first code; null once it was confirmed and the factor counts.
    "expires_at" timestamptz(3),
    CONSTRAINT "totp_factors_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "totp_factors_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "totp_factors_user_idx" ON "totp_factors" ("user_id");
  CREATE INDEX "totp_factors_expires_idx" ON "totp_factors" ("expires_at");
  CREATE TABLE "recovery_codes" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    -- SHA-256 of account and code, in hex. It is not keyed: the code has 80 random bits and must survive a change of APP_KEY.
    "code_hash" varchar(64) NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "recovery_codes_hash_unique" UNIQUE ("user_id", "code_hash"),
    CONSTRAINT "recovery_codes_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE TABLE "passkeys" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "name" varchar(100) NOT NULL,
    "credential_id" varchar(1400) NOT NULL,
    "public_key" bytea NOT NULL,
    -- 0 if the authenticator does not count, for example if the passkey is synchronised.
    "sign_count" bigint NOT NULL,
    "transports" varchar(20)[] NOT NULL DEFAULT '{}',
    "aaguid" uuid NOT NULL,
    "rp_id" varchar(255) NOT NULL,
    "verifies_user" boolean NOT NULL,
    "backup_eligible" boolean NOT NULL,
    "backed_up" boolean NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "last_used_at" timestamptz(3),
    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "passkeys_credential_unique" UNIQUE ("credential_id"),
    CONSTRAINT "passkeys_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "passkeys_user_idx" ON "passkeys" ("user_id");
  CREATE TABLE "used_passkey_challenges" (
    "id" varchar(22) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "used_passkey_challenges_pkey" PRIMARY KEY ("id")
  );
  CREATE INDEX "used_passkey_challenges_expires_idx" ON "used_passkey_challenges" ("expires_at");
  CREATE TABLE "remembered_devices" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    -- SHA-256 of its token, in hex. The token has 256 random bits.
    "token_hash" varchar(64) NOT NULL,
    -- Of the account when the browser was remembered. A password change makes it invalid.
    "credentials_version" integer NOT NULL,
    "device" varchar(255),
    "address" varchar(64),
    "created_at" timestamptz(3) NOT NULL,
    "last_used_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "remembered_devices_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "remembered_devices_token_unique" UNIQUE ("token_hash"),
    CONSTRAINT "remembered_devices_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "remembered_devices_user_idx" ON "remembered_devices" ("user_id");
  CREATE INDEX "remembered_devices_expires_idx" ON "remembered_devices" ("expires_at");`,
);
