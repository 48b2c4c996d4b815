import type { DataSource, EntityManager } from 'typeorm';
import {
  createDataSource,
  type DatabaseAddress,
  MIGRATIONS_TABLE,
  OWN_MIGRATIONS_TABLE,
} from '../connections/data-source.js';
import { DatabaseConnectionError } from '../connections/database-connection.errors.js';
import {
  assertNoForeignTables,
  assertStatementsKept,
  assertUsable,
  ensureSchema,
} from '../connections/database-checks.js';
import { MIGRATION_LOCK, type MigrationStatus, MigrationSteps } from './migration-steps.js';
import { DEFAULT_DATABASE_SCHEMA } from '../connections/session-settings.js';
import type { ApplicationTables, ModuleTables } from '../tables.decorator.js';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';

export type OnMigrated = (
  manager: EntityManager,
  change: { readonly what: 'applied' | 'reverted'; readonly names: readonly string[] },
) => Promise<void>;

/**
 * Runs migrations over its own connection, without the timeouts of the request path, one instance at a time. The lock belongs to the
 * transaction that does the work, so it also works behind a pooler. Each method throws a {@link DatabaseConnectionError} if the database
 * cannot be reached.
 */
export class Migrator {
  private readonly steps: MigrationSteps;

  /**
   * @param table table of the applied migrations.
   * @param needed names of tables that they create. None may exist before the first migration is applied.
   */
  constructor(
    private readonly address: DatabaseAddress,
    migrations: NonNullable<ModuleTables['migrations']>,
    private readonly onMigrated: OnMigrated = () => Promise.resolve(),
    private readonly table = MIGRATIONS_TABLE,
    private readonly needed: readonly string[] = [],
  ) {
    this.steps = new MigrationSteps(migrations, table);
  }

  /**
   * Applies all pending migrations or none, and returns their names.
   *
   * @throws DatabaseReadOnlyError DatabasePoolerError DatabaseEncodingError ForeignTablesError MigrationError
   */
  up(): Promise<string[]> {
    return this.locked(async (manager) => {
      await assertNoForeignTables(manager, this.table, this.needed);
      await this.steps.createTable(manager);
      const names = await this.steps.forward(manager);
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
    return this.locked(async (manager) => {
      await this.steps.createTable(manager);
      const name = await this.steps.back(manager);
      if (name !== null) await this.onMigrated(manager, { what: 'reverted', names: [name] });
      return name;
    });
  }

  /** Returns the migrations in the order of execution. */
  status(): Promise<MigrationStatus[]> {
    return this.connected(async (source) => this.steps.statusOf(await this.recorded(source)));
  }

  /** Returns the names of unknown applied migrations: of a newer version, or of another application. */
  unknown(): Promise<readonly string[]> {
    return this.connected(async (source) => this.steps.unknown(await this.recorded(source)));
  }

  private async recorded(source: DataSource): Promise<readonly string[]> {
    return (await this.steps.hasTable(source)) ? this.steps.recorded(source) : [];
  }

  private locked<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.connected(async (source) => {
      await assertUsable(source);
      await assertStatementsKept(source);
      await ensureSchema(source, this.address.schema ?? DEFAULT_DATABASE_SCHEMA, MIGRATION_LOCK);
      return source.transaction(async (manager) => {
        await this.steps.lock(manager);
        return work(manager);
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

  private async connect(): Promise<DataSource> {
    const { address } = this;
    try {
      return await createDataSource({ address, entities: [], poolSize: 2, statementTimeoutMs: 0 }).initialize();
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
    `The migration ${nameless.name} must have a name that ends with a timestamp in milliseconds, such as ${nameless.name}${Date.now()}.`,
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
