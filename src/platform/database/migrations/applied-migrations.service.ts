import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MIGRATIONS_TABLE, OWN_MIGRATIONS_TABLE } from '../connections/data-source.js';
import { migrationMoment, migrationName } from './migrator.js';
import { APPLICATION_TABLES, type ApplicationTables } from '../tables.decorator.js';

export const MIGRATION_OWNERS = ['service', 'app'] as const;

export interface KnownMigration {
  readonly name: string;
  readonly of: (typeof MIGRATION_OWNERS)[number];
  readonly applied: boolean;
}

@Injectable()
export class AppliedMigrations {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(APPLICATION_TABLES) private readonly tables: ApplicationTables,
  ) {}

  /** Returns the migrations of this release: first those of the service, then those of the application, each in the order of execution. */
  async list(): Promise<readonly KnownMigration[]> {
    const own = this.tables.own.migrations.map((migration) => migrationName(new migration()));
    const service = this.dataSource.migrations.map(migrationName);
    const lists = [await this.of('service', service, MIGRATIONS_TABLE)];
    if (own.length > 0) lists.push(await this.of('app', own, OWN_MIGRATIONS_TABLE));
    return lists.flat();
  }

  private async of(of: KnownMigration['of'], names: readonly string[], table: string): Promise<KnownMigration[]> {
    const rows = await this.dataSource.query<{ name: string }[]>(`SELECT name FROM ${table}`);
    const applied = new Set(rows.map(({ name }) => name));
    return [...names]
      .sort((one, other) => migrationMoment(one) - migrationMoment(other))
      .map((name) => ({ name, of, applied: applied.has(name) }));
  }
}
