import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXED = ['actor', 'resource'];

/** The events of one account or resource are found by an index from the day after on: an open day pays for none. */
export class AuditDaysIndexedLater1700000000044 implements MigrationInterface {
  readonly name = 'AuditDaysIndexedLater1700000000044';

  async up(runner: QueryRunner): Promise<void> {
    for (const column of INDEXED) {
      await runner.query(`DROP INDEX "audit_events_${column}"`);
      await runner.query(
        `CREATE INDEX "audit_events-other_${column}" ON "audit_events-other" ("${column}", "at", "id")`,
      );
    }
  }

  /** Makes the indexes of the log again. A day that has its index keeps it, as a part of that of the log. */
  async down(runner: QueryRunner): Promise<void> {
    for (const column of INDEXED)
      await runner.query(`CREATE INDEX "audit_events_${column}" ON "audit_events" ("${column}", "at", "id")`);
  }
}
