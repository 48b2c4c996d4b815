import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AuditLog1700000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createEvents(runner);
    await this.createSeals(runner);
    await this.refuseChanges(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "audit_head", "audit_seals", "audit_events"');
    await runner.query('DROP FUNCTION "refuse_audit_change"(), "refuse_seal_change"()');
  }

  private async createEvents(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "audit_events" (
      "id" uuid NOT NULL,
      "at" timestamptz(3) NOT NULL,
      "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
      "actor" text COLLATE "C" NOT NULL,
      "action" text COLLATE "C" NOT NULL,
      "resource" text COLLATE "C" NOT NULL,
      "outcome" text COLLATE "C" NOT NULL,
      "address" text,
      "request_id" text,
      "key_id" uuid,
      "changes" jsonb NOT NULL,
      CONSTRAINT "audit_events_pkey" PRIMARY KEY ("at", "id")
    ) PARTITION BY RANGE ("at")`);
    await runner.query('CREATE INDEX "audit_events_xid" ON "audit_events" ("xid")');
    await runner.query('CREATE TABLE "audit_events-other" PARTITION OF "audit_events" DEFAULT');
    // One per partition, not for the whole log: a day is indexed when it is over, so that writing stays cheap.
    await runner.query('CREATE INDEX "audit_events-other_actor" ON "audit_events-other" ("actor", "at", "id")');
    await runner.query('CREATE INDEX "audit_events-other_resource" ON "audit_events-other" ("resource", "at", "id")');
  }

  private async createSeals(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "audit_seals" (
      "seq" bigint NOT NULL,
      "kind" text NOT NULL,
      "day" date NOT NULL,
      "from_xid" xid8,
      "to_xid" xid8,
      "trimmed" bigint NOT NULL,
      "ids" uuid[] NOT NULL,
      "hashes" bytea[] NOT NULL,
      "root" text NOT NULL,
      "previous" text NOT NULL,
      "hash" text NOT NULL,
      "mac" text NOT NULL,
      "sealed_at" timestamptz(3) NOT NULL,
      CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("seq")
    )`);
    await runner.query('CREATE INDEX "audit_seals_day" ON "audit_seals" ("day")');
    await runner.query(`CREATE TABLE "audit_head" (
      "id" integer NOT NULL,
      "seq" bigint NOT NULL,
      "horizon" xid8 NOT NULL,
      "hash" text NOT NULL,
      "mac" text NOT NULL,
      CONSTRAINT "audit_head_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "audit_head_one" CHECK ("id" = 1)
    )`);
    await runner.query(`INSERT INTO "audit_head" VALUES (1, 0, '0', '', '')`);
  }

  private async refuseChanges(runner: QueryRunner): Promise<void> {
    const refuse = `RAISE EXCEPTION 'The audit log is append-only.' USING ERRCODE = 'insufficient_privilege';`;
    await runner.query(
      `CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${refuse} END $$`,
    );
    await runner.query(`CREATE FUNCTION "refuse_seal_change"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM "audit_seals" WHERE "trimmed" >= OLD."seq") THEN RETURN OLD; END IF;
    ${refuse} END $$`);
    // A row trigger applies to every partition; a TRUNCATE trigger does not.
    await runner.query(`CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE ON "audit_events"
      FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"()`);
    await runner.query(`CREATE TRIGGER "audit_seals_append_only" BEFORE UPDATE OR DELETE ON "audit_seals"
      FOR EACH ROW EXECUTE FUNCTION "refuse_seal_change"()`);
    for (const table of ['audit_events', 'audit_events-other', 'audit_seals'])
      await runner.query(`CREATE TRIGGER "audit_append_only_whole" BEFORE TRUNCATE ON "${table}"
      FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"()`);
  }
}
