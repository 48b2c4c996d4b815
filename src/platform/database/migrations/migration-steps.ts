import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import { MIGRATIONS_TABLE } from '../connections/data-source.js';
import { MIGRATION_LOCK, migrationMoment } from './migrator.js';
import { namedMigration } from './migration-fault.js';
import type { ModuleTables } from '../tables.decorator.js';

/** Applies or reverts the migrations of one owner in the caller's transaction, for data of another version. */
export class MigrationSteps {
  private readonly all: readonly Required<MigrationInterface>[];

  /** @param table table of the applied migrations. */
  constructor(
    migrations: NonNullable<ModuleTables['migrations']>,
    private readonly table = MIGRATIONS_TABLE,
  ) {
    const named = migrations.map((Migration) => withName(new Migration(), Migration.name));
    this.all = named.sort((one, other) => migrationMoment(one.name) - migrationMoment(other.name));
  }

  async hold(manager: EntityManager): Promise<void> {
    await manager.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  }

  async applied(manager: EntityManager): Promise<readonly string[]> {
    const found = await this.read(manager);
    return this.all.map(({ name }) => name).filter((name) => found.has(name));
  }

  unknown(names: readonly string[]): string | undefined {
    return names.find((name) => !this.all.some((migration) => migration.name === name));
  }

  async rewind(manager: EntityManager, names: readonly string[]): Promise<void> {
    const found = await this.read(manager);
    const more = this.all.filter(({ name }) => found.has(name) && !names.includes(name));
    for (const migration of more.toReversed()) {
      await migration.down(runnerOf(manager));
      await manager.query(`DELETE FROM ${this.table} WHERE name = $1`, [migration.name]);
    }
  }

  async forward(manager: EntityManager): Promise<void> {
    const found = await this.read(manager);
    for (const migration of this.all.filter(({ name }) => !found.has(name))) {
      await migration.up(runnerOf(manager));
      const values = [migrationMoment(migration.name), migration.name];
      await manager.query(`INSERT INTO ${this.table} (timestamp, name) VALUES ($1, $2)`, values);
    }
  }

  private async read(manager: EntityManager): Promise<ReadonlySet<string>> {
    if (this.all.length === 0) return new Set();
    const rows = await manager.query<{ name: string }[]>(`SELECT name FROM ${this.table}`);
    return new Set(rows.map(({ name }) => name));
  }
}

function withName(migration: MigrationInterface, className: string): Required<MigrationInterface> {
  migration.name ??= className;
  namedMigration(migration);
  return migration as Required<MigrationInterface>;
}

function runnerOf({ queryRunner }: EntityManager): QueryRunner {
  if (queryRunner === undefined) throw new TypeError('Migrations are taken in a transaction.');
  return queryRunner;
}
