import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Carriers of native-app logins that were used, so that each completes one sign-in. */
export class UsedCarriers1700000000005 implements MigrationInterface {
  readonly name = 'UsedCarriers1700000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "used_carriers" (
      "id" uuid NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "used_carriers_pkey" PRIMARY KEY ("id")
    )`);
    await runner.query(`CREATE INDEX "used_carriers_expires_idx" ON "used_carriers" ("expires_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "used_carriers"');
  }
}
