import { type DataSource, type EntityManager, MigrationExecutor, type MigrationInterface } from 'typeorm';
import { createDataSource, type DatabaseAddress } from './data-source.js';
import { DatabaseConnectionError, DatabaseReadOnlyError, DatabasePoolerError } from './database-connection.errors.js';
import type { PoolClient } from 'pg';
import type { DatabaseClient } from './database-client.js';
import type { ApplicationTables, ModuleTables } from './tables.decorator.js';
import { DefinitionError } from '../../kernel/definition-error.js';
import { poolOf } from './database-pool.js';

const NAME = 'lintel-pooler-check';

/** Turns in which two connections are compared: a pooler that shares sessions shows it in the first, unless it is busy. */
const TURNS = 10;

/** One migration and whether it stands in the database. */
export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

/** Changes of the migrations of a database. */
export interface MigrationChange {
  readonly what: 'applied' | 'reverted';
  readonly names: readonly string[];
}

/** Hears of migrations in the transaction that applies or reverts them. */
export type OnMigrated = (manager: EntityManager, change: MigrationChange) => Promise<void>;

/** Any fixed number: one lock for all instances that migrate the same database. */
export const MIGRATION_LOCK = 724_150_311;

/**
 * Runs migrations over a connection of its own, without the bounds of the request path, one instance at a time: the lock is
 * of the transaction that does the work, so it holds behind a pooler, too, and goes with it. Each method throws a
 * {@link DatabaseConnectionError} where the database is not there.
 */
export class Migrator {
  /**
   * @param migrations of one owner, in any order.
   * @param onMigrated hears of what is done.
   * @param table says which of them are applied.
   */
  constructor(
    private readonly address: DatabaseAddress,
    private readonly migrations: NonNullable<ModuleTables['migrations']>,
    private readonly onMigrated: OnMigrated = () => Promise.resolve(),
    private readonly table = 'migrations',
  ) {}

  /**
   * Applies what is pending, all of it or nothing, and answers the names.
   *
   * @throws DatabaseReadOnlyError DatabasePoolerError
   */
  up(): Promise<string[]> {
    return this.locked(async (executor, manager) => {
      const names = (await executor.executePendingMigrations()).map(({ name }) => name);
      if (names.length > 0) await this.onMigrated(manager, { what: 'applied', names });
      return names;
    });
  }

  /**
   * Reverts the newest migration of the service and answers its name, or null if none is applied. Migrations that an
   * application keeps in the same table stay.
   *
   * @throws DatabaseReadOnlyError DatabasePoolerError
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

  /** Returns all migrations, oldest first. */
  status(): Promise<MigrationStatus[]> {
    return this.connected((source) => this.read(source));
  }

  private async read(source: DataSource): Promise<MigrationStatus[]> {
    const [table] = await source.query<{ found: boolean }[]>(
      `SELECT to_regclass('${this.table}') IS NOT NULL AS found`,
    );
    const rows = table?.found === true ? await source.query<{ name: string }[]>(`SELECT name FROM ${this.table}`) : [];
    const applied = new Set(rows.map(({ name }) => name));
    // In the order in which they are applied: modules bring theirs in any.
    const names = source.migrations
      .map(migrationName)
      .sort((one, other) => migrationMoment(one) - migrationMoment(other));
    return names.map((name) => ({ name, applied: applied.has(name) }));
  }

  private locked<T>(work: (executor: MigrationExecutor, manager: EntityManager) => Promise<T>): Promise<T> {
    return this.connected(async (source) => {
      await assertWritable(source);
      await assertStatementsKept(source);
      return source.transaction(async (manager) => {
        await manager.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
        const executor = new MigrationExecutor(source, manager.queryRunner);
        // Within the transaction that is there already.
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

  private async connect(): Promise<DataSource> {
    try {
      return await createDataSource({
        address: this.address,
        entities: [],
        migrations: this.migrations,
        migrationsTable: this.table,
        poolSize: 2,
        statementTimeoutMs: 0,
      }).initialize();
    } catch (error) {
      throw new DatabaseConnectionError(error);
    }
  }
}

/** The table of the migrations of a team's own: those of the service and its own go up and down without each other. */
export const OWN_MIGRATIONS_TABLE = 'app_migrations';

/**
 * Returns what runs the migrations of a team's own.
 *
 * @throws DefinitionError for a name that does not say when the migration was made.
 */
export function ownMigrator(
  address: DatabaseAddress,
  { own: { migrations } }: ApplicationTables,
  onMigrated?: OnMigrated,
): Migrator {
  const nameless = migrations.find(({ name }) => !/\d{13}$/.test(name));
  if (nameless === undefined) return new Migrator(address, migrations, onMigrated, OWN_MIGRATIONS_TABLE);
  throw new DefinitionError(
    `The migration ${nameless.name} must end with the millisecond of its making, as ${nameless.name}${Date.now()} does.`,
  );
}

/** Applies what is pending, of the service first, and answers the names. Throws as {@link Migrator.up} does. */
export async function migrate(
  address: DatabaseAddress,
  tables: ApplicationTables,
  onMigrated?: OnMigrated,
): Promise<readonly string[]> {
  const applied = await new Migrator(address, tables.migrations, onMigrated).up();
  if (tables.own.migrations.length === 0) return applied;
  return [...applied, ...(await ownMigrator(address, tables, onMigrated).up())];
}

/** Returns the moment at the end of its name, by which TypeORM sorts migrations. */
export function migrationMoment(name: string): number {
  return Number(name.slice(-13));
}

/** Returns what a migration is called. */
export function migrationName(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

async function assertWritable(source: DataSource): Promise<void> {
  const [row] = await source.query<{ standby: boolean; closed: boolean }[]>(
    `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS closed`,
  );
  if (row?.standby === true || row?.closed === true) throw new DatabaseReadOnlyError(row.standby);
}

/**
 * Looks whether prepared statements stay what they are on the way to the database: a pooler that gives one session to
 * several clients must keep their names apart (PgBouncer does since 1.21).
 *
 * @param source a DataSource with at least two connections.
 * @throws DatabasePoolerError
 */
async function assertStatementsKept(source: DataSource): Promise<void> {
  const pool = poolOf(source);
  const [one, other] = [await pool.connect(), await pool.connect()];
  try {
    if ((await backendOf(one)) === (one as PoolClient & DatabaseClient).backendPid) return;
    if ((await isNameKept(one)) && (await isShared(one, other))) throw new DatabasePoolerError();
  } finally {
    // With the name that it has given away, nobody should go on.
    one.release(true);
    other.release(true);
  }
}

/** Returns whether the name under which a statement was prepared is the one that the server knows it by. */
async function isNameKept(client: PoolClient): Promise<boolean> {
  await client.query('START TRANSACTION');
  try {
    await client.query({ name: NAME, text: 'SELECT 1' });
    const { rowCount } = await client.query(`SELECT 1 FROM pg_prepared_statements WHERE name = '${NAME}'`);
    return rowCount === 1;
  } catch {
    // Somebody else's statement of this name is there.
    return true;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Returns whether one of the connections meets a session of the server in which the other was, or in which it was not before. */
async function isShared(one: PoolClient, other: PoolClient): Promise<boolean> {
  const [mine, others] = [new Set<number>(), new Set<number>()];
  for (let turn = 0; turn < TURNS; turn += 1) {
    mine.add(await backendOf(one));
    others.add(await backendOf(other));
  }
  return mine.size > 1 || others.size > 1 || [...mine].some((pid) => others.has(pid));
}

async function backendOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}
