import type { MigrationInterface, QueryRunner } from 'typeorm';

const bounded = (column: string): string => `coalesce(length(${column})::text || ':' || ${column}, '-')`;
const TEXTS = ['actor', 'action', 'resource', 'outcome', 'address', 'request_id', 'key_id::text', 'changes::text'];
const CONTENT = `id::text || ' ' || xid::text || ' ' || extract(epoch FROM at - to_timestamp(0))::text || ' ' || ${TEXTS.map(bounded).join(` || ' ' || `)}`;
const HASH = String.raw`sha256(decode(replace(${CONTENT}, '\', '\\'), 'escape'))`;

/** Hashes of events are made when they are sealed, not when they are written. */
export class HashesWithSeals1700000000034 implements MigrationInterface {
  readonly name = 'HashesWithSeals1700000000034';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "audit_events" DROP COLUMN "content_hash"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE "audit_events" ADD COLUMN "content_hash" bytea NOT NULL GENERATED ALWAYS AS (${HASH}) STORED`,
    );
  }
}
