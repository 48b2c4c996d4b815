import { tablesMigration } from '../database/tables.decorator.js';

export const BackgroundJobs1700000000030 = tablesMigration(
  'BackgroundJobs1700000000030',
  `CREATE TABLE "background_jobs" (
    "id" uuid NOT NULL,
    "kind" varchar(60) NOT NULL,
    "unique_key" varchar(200),
    "payload" jsonb NOT NULL DEFAULT '{}',
    "state" varchar(10) NOT NULL DEFAULT 'due',
    "attempts" integer NOT NULL DEFAULT 0,
    "claim_id" uuid,
    "fault" varchar(300),
    "due_at" timestamptz(3) NOT NULL,
    "expires_at" timestamptz(3),
    "created_at" timestamptz(3) NOT NULL,
    "traceparent" varchar(64),
    "last_run_at" timestamptz(3),
    CONSTRAINT "background_jobs_pkey" PRIMARY KEY ("id")
  );
  CREATE INDEX "background_jobs_due_idx" ON "background_jobs" ("kind", "due_at") WHERE state = 'due';
  CREATE UNIQUE INDEX "background_jobs_unique_key" ON "background_jobs" ("kind", "unique_key") WHERE state = 'due';
  CREATE INDEX "background_jobs_expires_idx" ON "background_jobs" ("expires_at");`,
);
