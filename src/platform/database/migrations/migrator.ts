import { type DataSource, type EntityManager, MigrationExecutor, type MigrationInterface } from 'typeorm';
import {
  createDataSource,
  type DatabaseAddress,
  MIGRATIONS_TABLE,
  OWN_MIGRATIONS_TABLE,
} from '../connections/data-source.js';
import { DatabaseConnectionError } from '../connections/database-connection.errors.js';
import { assertNoForeignTables, assertUsable, ensureSchema } from '../connections/database-checks.js';
import { namedMigration } from './migration-fault.js';
import { assertStatementsKept } from '../connections/pooler-check.js';
import { DEFAULT_DATABASE_SCHEMA } from '../connections/session-settings.js';
import type { ApplicationTables, ModuleTables } from '../tables.decorator.js';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';

export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

export interface MigrationChange {
  readonly what: 'applied' | 'reverted';
  readonly names: readonly string[];
}

export type OnMigrated = (manager: EntityManager, change: MigrationChange) => Promise<void>;

/** Any fixed number: one lock for all instances that migrate the same database. */
export const MIGRATION_LOCK = 724_150_311;

/**
 * Runs migrations over its own connection, without the timeouts of the request path, one instance at a time. The lock belongs to the
 * transaction that does the work, so it also works behind a pooler. Each method throws a {@link DatabaseConnectionError} if the database
 * cannot be reached.
 */
export class Migrator {
  /**
   * @param table table of the applied migrations.
   * @param needed names of tables that they create. None may exist before the first migration is applied.
   */
  constructor(
    private readonly address: DatabaseAddress,
    private readonly migrations: NonNullable<ModuleTables['migrations']>,
    private readonly onMigrated: OnMigrated = () => Promise.resolve(),
    private readonly table = MIGRATIONS_TABLE,
    private readonly needed: readonly string[] = [],
  ) {}

  /**
   * Applies all pending migrations or none, and returns their names.
   *
   * @throws DatabaseReadOnlyError DatabasePoolerError DatabaseEncodingError ForeignTablesError MigrationError
   */
  up(): Promise<string[]> {
    return this.locked(async (executor, manager) => {
      await assertNoForeignTables(manager, this.table, this.needed);
      const names = (await executor.executePendingMigrations()).map(({ name }) => name);
      if (names.length > 0) await this.onMigrated(manager, { what: 'applied', names });
      return names;
    });
  }

  /**
   * Reverts the newest migration of the service, and returns its name, or null if none is applied. Migrations of an application in the same
   * table are not changed.
   *
   * @throws DatabaseReadOnlyError DatabasePoolerError DatabaseEncodingError MigrationError
   */
  down(): Promise<string | null> {
    return this.locked(async (executor, manager) => {
      const { dataSource, queryRunner } = manager;
      const own = new Map(dataSource.migrations.map((migration) => [migrationName(migration), migration]));
      const executed = (await executor.getExecutedMigrations()).filter(({ name }) => own.has(name));
      const [newest] = executed.sort((one, other) => (other.id ?? 0) - (one.id ?? 0));
      if (newest === undefined || queryRunner === undefined) return null;
      await own.get(newest.name)?.down(queryRunner);
      await queryRunner.query(`DELETE FROM ${this.table} WHERE name = $1`, [newest.name]);
      await this.onMigrated(manager, { what: 'reverted', names: [newest.name] });
      return newest.name;
    });
  }

  status(): Promise<MigrationStatus[]> {
    return this.connected((source) => this.read(source));
  }

  /** Returns the names of unknown applied migrations: of a newer version, or of another application. */
  unknown(): Promise<readonly string[]> {
    return this.connected(async (source) => {
      const known = new Set(source.migrations.map(migrationName));
      return (await this.applied(source)).filter((name) => !known.has(name));
    });
  }

  private async applied(source: DataSource): Promise<readonly string[]> {
    const [table] = await source.query<{ found: boolean }[]>(
      `SELECT to_regclass('${this.table}') IS NOT NULL AS found`,
    );
    if (table?.found !== true) return [];
    const rows = await source.query<{ name: string }[]>(`SELECT name FROM ${this.table} ORDER BY id`);
    return rows.map(({ name }) => name);
  }

  private async read(source: DataSource): Promise<MigrationStatus[]> {
    const applied = new Set(await this.applied(source));
    // Sorted in the order of execution, because modules list their migrations in any order.
    const names = source.migrations
      .map(migrationName)
      .sort((one, other) => migrationMoment(one) - migrationMoment(other));
    return names.map((name) => ({ name, applied: applied.has(name) }));
  }

  private locked<T>(work: (executor: MigrationExecutor, manager: EntityManager) => Promise<T>): Promise<T> {
    return this.connected(async (source) => {
      await assertUsable(source);
      await assertStatementsKept(source);
      await ensureSchema(source, this.schema, MIGRATION_LOCK);
      return source.transaction(async (manager) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
        const executor = new MigrationExecutor(source, manager.queryRunner);
        // Uses the open transaction.
        executor.transaction = 'each';
        return work(executor, manager);
      });
    });
  }

  private async connected<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
    const source = await this.connect();
    try {
      return await work(source);
    } finally {
      await source.destroy();
    }
  }

  private get schema(): string {
    return this.address.schema ?? DEFAULT_DATABASE_SCHEMA;
  }

  private async connect(): Promise<DataSource> {
    try {
      const source = createDataSource({
        address: this.address,
        entities: [],
        migrations: this.migrations,
        migrationsTable: this.table,
        poolSize: 2,
        statementTimeoutMs: 0,
      });
      // TypeORM looks for the table of migrations by the name of its schema.
      source.setOptions({ schema: this.schema });
      await source.initialize();
      source.migrations.forEach(namedMigration);
      return source;
    } catch (error) {
      throw new DatabaseConnectionError(error);
    }
  }
}

/** @throws DefinitionError as {@link assertMigrationNames} does. */
export function ownMigrator(address: DatabaseAddress, tables: ApplicationTables, onMigrated?: OnMigrated): Migrator {
  assertMigrationNames(tables);
  return new Migrator(address, tables.own.migrations, onMigrated, OWN_MIGRATIONS_TABLE);
}

/** @throws DefinitionError for a name that does not end with a timestamp. */
export function assertMigrationNames({ own: { migrations } }: ApplicationTables): void {
  const nameless = migrations.find(({ name }) => !/\d{13}$/.test(name));
  if (nameless === undefined) return;
  throw new DefinitionError(
    `The migration ${nameless.name} must end with the millisecond of its making, as ${nameless.name}${Date.now()} does.`,
  );
}

export function serviceMigrator(
  address: DatabaseAddress,
  { migrations, ofService }: ApplicationTables,
  onMigrated?: OnMigrated,
): Migrator {
  return new Migrator(address, migrations, onMigrated, MIGRATIONS_TABLE, ofService);
}

/** Applies all pending migrations, first those of the service, and returns their names. Throws as {@link Migrator.up} does. */
export async function migrate(
  address: DatabaseAddress,
  tables: ApplicationTables,
  onMigrated?: OnMigrated,
): Promise<readonly string[]> {
  const own = ownMigrator(address, tables, onMigrated);
  const applied = await serviceMigrator(address, tables, onMigrated).up();
  if (tables.own.migrations.length === 0) return applied;
  return [...applied, ...(await own.up())];
}

export async function unknownMigrations(
  address: DatabaseAddress,
  tables: ApplicationTables,
): Promise<readonly string[]> {
  const migrators = [serviceMigrator(address, tables), ownMigrator(address, tables)];
  return (await Promise.all(migrators.map((migrator) => migrator.unknown()))).flat();
}

export function migrationMoment(name: string): number {
  return Number(name.slice(-13));
}

export function migrationName(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}
