import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OWN_MIGRATIONS_TABLE } from '../connections/data-source.js';
import { type MigrationStatus, MigrationSteps } from './migration-steps.js';
import { APPLICATION_TABLES, type ApplicationTables } from '../tables.decorator.js';

export const MIGRATION_OWNERS = ['service', 'app'] as const;

export interface DeclaredMigration extends MigrationStatus {
  readonly of: (typeof MIGRATION_OWNERS)[number];
}

@Injectable()
export class AppliedMigrations {
  private readonly steps: readonly (readonly [of: DeclaredMigration['of'], steps: MigrationSteps])[];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(APPLICATION_TABLES) { migrations, own }: ApplicationTables,
  ) {
    this.steps = [
      ['service', new MigrationSteps(migrations)],
      ['app', new MigrationSteps(own.migrations, OWN_MIGRATIONS_TABLE)],
    ];
  }

  /** Returns the migrations of this release: first those of the service, then those of the application, each in the order of execution. */
  async list(): Promise<readonly DeclaredMigration[]> {
    const lists = this.steps.map(async ([of, steps]) => {
      const status = await steps.status(this.dataSource.manager);
      return status.map(({ name, applied }) => ({ name, of, applied }));
    });
    return (await Promise.all(lists)).flat();
  }
}
