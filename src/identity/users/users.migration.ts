import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const Users1700000000110 = tablesMigration(
  'Users1700000000110',
  `CREATE TABLE "users" (
    "id" uuid NOT NULL,
    "email" varchar(320) NOT NULL,
    "email_key" varchar(320) NOT NULL,
    "email_verified_at" timestamptz(3),
    "username" varchar(100),
    "username_key" varchar(200),
    "password_hash" varchar(255),
    "first_name" varchar(255),
    "last_name" varchar(255),
    "provider" varchar(40) NOT NULL DEFAULT 'local',
    "activated" boolean NOT NULL DEFAULT false,
    "activated_at" timestamptz(3),
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    "credentials_version" integer NOT NULL DEFAULT 0,
    "invited" boolean NOT NULL DEFAULT false,
    "second_factor" boolean NOT NULL DEFAULT false,
    "language" varchar(35),
    CONSTRAINT "users_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "users_email_key_unique" UNIQUE ("email_key"),
    CONSTRAINT "users_username_key_unique" UNIQUE ("username_key")
  );
  CREATE TABLE "roles" (
    "id" uuid NOT NULL,
    "name" varchar(100) NOT NULL,
    "description" text,
    "root" boolean NOT NULL DEFAULT false,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    "mfa" varchar(10) NOT NULL DEFAULT 'optional',
    "mfa_grace_days" integer NOT NULL DEFAULT 0,
    "mfa_since" timestamptz(3),
    "file_quota" bigint,
    CONSTRAINT "roles_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "roles_name_unique" UNIQUE ("name")
  );
  CREATE TABLE "permissions" (
    "id" uuid NOT NULL,
    "role_id" uuid NOT NULL,
    "resource" varchar(255) NOT NULL,
    "value" text NOT NULL,
    "fields" jsonb,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    -- Of the save. The permission refers to the schemas and fields that had its names then, or that were the first to have them later.
    "schema_version" integer NOT NULL DEFAULT 0,
    CONSTRAINT "permissions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "permissions_role_resource_unique" UNIQUE ("role_id", "resource"),
    CONSTRAINT "permissions_role_fkey" FOREIGN KEY ("role_id") REFERENCES "roles" ("id") ON DELETE CASCADE
  );
  CREATE TABLE "user_roles" (
    "user_id" uuid NOT NULL,
    "role_id" uuid NOT NULL,
    CONSTRAINT "user_roles_pkey" PRIMARY KEY ("user_id", "role_id"),
    CONSTRAINT "user_roles_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE,
    CONSTRAINT "user_roles_role_fkey" FOREIGN KEY ("role_id") REFERENCES "roles" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "user_roles_role_idx" ON "user_roles" ("role_id");
  CREATE TABLE "email_reservations" (
    "id" uuid NOT NULL,
    "user_id" uuid NOT NULL,
    "email" varchar(320) NOT NULL,
    "email_key" varchar(320) NOT NULL,
    "email_verified_at" timestamptz(3),
    "created_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    CONSTRAINT "email_reservations_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "email_reservations_user_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
  );
  CREATE INDEX "email_reservations_user_key_idx" ON "email_reservations" ("user_id", "email_key");
  CREATE INDEX "email_reservations_key_idx" ON "email_reservations" ("email_key");
  CREATE INDEX "email_reservations_expires_idx" ON "email_reservations" ("expires_at");`,
);
