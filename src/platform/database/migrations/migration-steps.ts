import {
  DefaultNamingStrategy,
  type EntityManager,
  type MigrationInterface,
  QueryFailedError,
  type QueryRunner,
} from 'typeorm';
import { OperatorError } from '../../../kernel/errors/definition-error.js';
import { MIGRATIONS_TABLE } from '../connections/data-source.js';
import { isDatabaseUnavailable, readDriverFault } from '../database-faults.js';
import type { ModuleTables } from '../tables.decorator.js';

/** SQLSTATEs of a name that is taken: of a schema, a table, another object (PostgreSQL Appendix A). */
const DUPLICATE_NAME_CODES = new Set(['42P06', '42P07', '42710']);
/** SQLSTATE of a missing permission. The start reports it separately. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** Any fixed number: one lock for all instances that migrate the same database. */
export const MIGRATION_LOCK = 724_150_311;

export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

/** Applies or reverts the migrations of one owner in the caller's transaction. */
export class MigrationSteps {
  private readonly all: readonly Required<MigrationInterface>[];

  /** @param table table of the applied migrations, with the columns that TypeORM uses. */
  constructor(
    migrations: NonNullable<ModuleTables['migrations']>,
    private readonly table = MIGRATIONS_TABLE,
  ) {
    const named = migrations.map((Migration) => withName(new Migration(), Migration.name));
    this.all = named.sort((one, other) => timestampOf(one.name) - timestampOf(other.name));
  }

  async lock(manager: EntityManager): Promise<void> {
    await manager.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  }

  /** Creates the table of the applied migrations as TypeORM does, so that its command line can be used. */
  async createTable(manager: EntityManager): Promise<void> {
    if (await this.hasTable(manager)) return;
    const key = new DefaultNamingStrategy().primaryKeyName(this.table, ['id']);
    await manager.query(
      `CREATE TABLE ${this.table} (id serial, timestamp bigint NOT NULL, name varchar NOT NULL, CONSTRAINT "${key}" PRIMARY KEY (id))`,
    );
  }

  async hasTable(manager: Pick<EntityManager, 'query'>): Promise<boolean> {
    const [row] = await manager.query<[{ found: boolean }]>(`SELECT to_regclass('${this.table}') IS NOT NULL AS found`);
    return row.found;
  }

  /** Returns the names of all applied migrations, also of other owners, oldest first. */
  async recorded(manager: Pick<EntityManager, 'query'>): Promise<readonly string[]> {
    const rows = await manager.query<{ name: string }[]>(`SELECT name FROM ${this.table} ORDER BY id`);
    return rows.map(({ name }) => name);
  }

  /** Returns the migrations in the order of execution. */
  statusOf(recorded: readonly string[]): MigrationStatus[] {
    return this.all.map(({ name }) => ({ name, applied: recorded.includes(name) }));
  }

  /** Without migrations, the table may not exist. */
  async status(manager: EntityManager): Promise<MigrationStatus[]> {
    return this.all.length === 0 ? [] : this.statusOf(await this.recorded(manager));
  }

  async applied(manager: EntityManager): Promise<readonly string[]> {
    return (await this.status(manager)).flatMap(({ name, applied }) => (applied ? [name] : []));
  }

  /** Returns the names that are none of these migrations. */
  unknown(names: readonly string[]): readonly string[] {
    return names.filter((name) => !this.all.some((migration) => migration.name === name));
  }

  /** Reverts all migrations except these. */
  async rewind(manager: EntityManager, names: readonly string[]): Promise<void> {
    const applied = await this.applied(manager);
    const more = this.all.filter(({ name }) => applied.includes(name) && !names.includes(name));
    for (const migration of more.toReversed()) await this.revert(manager, migration);
  }

  /** Reverts the migration that was applied last, and returns its name; null if none is applied. */
  async back(manager: EntityManager): Promise<string | null> {
    const recorded = await this.recorded(manager);
    const newest = recorded.findLast((name) => this.all.some((migration) => migration.name === name));
    const migration = this.all.find(({ name }) => name === newest);
    if (migration === undefined) return null;
    await this.revert(manager, migration);
    return migration.name;
  }

  /** Applies all pending migrations, and returns their names. */
  async forward(manager: EntityManager): Promise<string[]> {
    const applied = await this.applied(manager);
    const pending = this.all.filter(({ name }) => !applied.includes(name));
    for (const migration of pending) {
      await migration.up(runnerOf(manager));
      const values = [timestampOf(migration.name), migration.name];
      await manager.query(`INSERT INTO ${this.table} (timestamp, name) VALUES ($1, $2)`, values);
    }
    return pending.map(({ name }) => name);
  }

  private async revert(manager: EntityManager, migration: Required<MigrationInterface>): Promise<void> {
    await migration.down(runnerOf(manager));
    await manager.query(`DELETE FROM ${this.table} WHERE name = $1`, [migration.name]);
  }
}

class MigrationError extends OperatorError {
  constructor(name: string, cause: QueryFailedError) {
    super(describe(name, cause), { cause });
  }
}

/** Names a migration, also in the errors of its statements. */
function withName(migration: MigrationInterface, className: string): Required<MigrationInterface> {
  const name = (migration.name ??= className);
  for (const direction of ['up', 'down'] as const) {
    const run = migration[direction].bind(migration);
    migration[direction] = (runner: QueryRunner) =>
      run(runner).catch((error: unknown) => {
        throw isOfStatement(error) ? new MigrationError(name, error) : error;
      });
  }
  return migration as Required<MigrationInterface>;
}

function isOfStatement(error: unknown): error is QueryFailedError {
  if (!(error instanceof QueryFailedError) || isDatabaseUnavailable(error)) return false;
  return readDriverFault(error)?.code !== INSUFFICIENT_PRIVILEGE;
}

function describe(name: string, cause: QueryFailedError): string {
  const fault = readDriverFault(cause);
  const advice = DUPLICATE_NAME_CODES.has(fault?.code ?? '')
    ? ' Set DATABASE_SCHEMA to a separate PostgreSQL schema.'
    : '';
  return `The migration ${name} failed${locationOf(cause)}: ${fault?.message ?? cause.message}. It was rolled back completely.${advice}`;
}

function locationOf({ query, driverError }: QueryFailedError): string {
  const position = Number((driverError as { position?: string }).position ?? 0);
  if (!(position > 0)) return '';
  const lines = [...query].slice(0, position).join('').split('\n');
  return ` at line ${lines.length}, column ${lines.at(-1)?.length ?? 0} of a statement`;
}

function runnerOf({ queryRunner }: EntityManager): QueryRunner {
  if (queryRunner === undefined) throw new TypeError('Migrations must run in a transaction.');
  return queryRunner;
}

function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
