import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers that are kept know what their reader could see, and what is left of them for somebody who sees less. */
export class KeptAnswerViews1700000000018 implements MigrationInterface {
  readonly name = 'KeptAnswerViews1700000000018';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "idempotency_keys" ADD COLUMN "bare" text, ADD COLUMN "seen_as" varchar(43)`);
    // Of what is kept already nobody knows what its reader could see: it is answered without a body.
    await runner.query(`UPDATE "idempotency_keys" SET "bare" = ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "idempotency_keys" DROP COLUMN "bare", DROP COLUMN "seen_as"`);
  }
}
