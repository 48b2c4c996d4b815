import type { DataSource } from 'typeorm';
import { createDataSource, type DatabaseAddress } from './data-source.js';
import { DatabaseConnectionError } from './database-connection.errors.js';

/** One migration and whether it stands in the database. */
export interface MigrationStatus {
  readonly name: string;
  readonly applied: boolean;
}

/** Any fixed number: one lock for all instances that migrate the same database. */
const MIGRATION_LOCK = 724_150_311;

/**
 * Runs migrations over a connection of its own, without the bounds of the request path, one instance at a time. Each method
 * throws a {@link DatabaseConnectionError} where the database is not there.
 */
export class Migrator {
  constructor(private readonly address: DatabaseAddress) {}

  /** Applies what is pending, each migration in its own transaction, and answers the names. */
  up(): Promise<string[]> {
    return this.locked(async (source) => (await source.runMigrations({ transaction: 'each' })).map(({ name }) => name));
  }

  /** Reverts the newest migration and answers its name, or null where none is applied. */
  down(): Promise<string | null> {
    return this.locked(async (source) => {
      const newest = (await this.read(source)).filter(({ applied }) => applied).at(-1);
      if (newest !== undefined) await source.undoLastMigration({ transaction: 'each' });
      return newest?.name ?? null;
    });
  }

  /** All migrations, oldest first. */
  status(): Promise<MigrationStatus[]> {
    return this.connected((source) => this.read(source));
  }

  private async read(source: DataSource): Promise<MigrationStatus[]> {
    const [table] = await source.query<{ found: boolean }[]>(`SELECT to_regclass('migrations') IS NOT NULL AS found`);
    const rows = table?.found === true ? await source.query<{ name: string }[]>('SELECT name FROM migrations') : [];
    const applied = new Set(rows.map(({ name }) => name));
    return source.migrations.map((migration) => {
      const name = migration.name ?? migration.constructor.name;
      return { name, applied: applied.has(name) };
    });
  }

  private locked<T>(work: (source: DataSource) => Promise<T>): Promise<T> {
    return this.connected(async (source) => {
      const runner = source.createQueryRunner();
      try {
        await runner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
        return await work(source);
      } finally {
        await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
        await runner.release();
      }
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
        poolSize: 2,
        statementTimeoutMs: 0,
      }).initialize();
    } catch (error) {
      throw new DatabaseConnectionError(error);
    }
  }
}
