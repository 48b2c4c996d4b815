import { tablesMigration } from '../../platform/database/tables.decorator.js';

export const RecordImports1700000000440 = tablesMigration(
  'RecordImports1700000000440',
  `CREATE TABLE "record_import_chunks" (
    "import_id" uuid NOT NULL,
    "n" integer NOT NULL,
    "rows" integer NOT NULL,
    "body" text,
    "made" jsonb,
    CONSTRAINT "record_import_chunks_pkey" PRIMARY KEY ("import_id", "n"),
    CONSTRAINT "record_import_chunks_import_fkey" FOREIGN KEY ("import_id") REFERENCES "background_operations" ("id") ON DELETE CASCADE
  );
  -- Each body is read once and then deleted, so compression would cost more than it saves.
  ALTER TABLE "record_import_chunks" ALTER COLUMN "body" SET STORAGE EXTERNAL;
  CREATE TABLE "record_import_faults" (
    "import_id" uuid NOT NULL,
    "row" integer NOT NULL,
    "field" varchar(200) NOT NULL,
    "code" varchar(60) NOT NULL,
    "message" text NOT NULL,
    "step" varchar(5) NOT NULL,
    CONSTRAINT "record_import_faults_pkey" PRIMARY KEY ("import_id", "row", "field"),
    CONSTRAINT "record_import_faults_import_fkey" FOREIGN KEY ("import_id") REFERENCES "background_operations" ("id") ON DELETE CASCADE
  );`,
);
