import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage, type MigrationInterface, type QueryRunner } from 'typeorm';
import { type AnyModule, declarationsOf, declareOnModule } from '../extension/module-settings.js';

export interface ApplicationTables {
  readonly entities: readonly Type[];
  readonly migrations: readonly Type<MigrationInterface>[];
  /** Names of the tables of `migrations`. */
  readonly ofService: readonly string[];
  /** Names of the tables of the service and of the application's modules. No schema may use them. */
  readonly names: readonly string[];
  readonly own: Required<Pick<ModuleTables, 'entities' | 'migrations'>>;
  /** Tables that are not moved to another database. */
  readonly staying: Required<Pick<ModuleTables, 'transient' | 'fixed'>>;
}

export interface ModuleTables {
  readonly entities?: readonly Type[];
  /** Each class name is a description and the timestamp in milliseconds when it was written, which orders them all. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  readonly others?: readonly string[];
  /** Tables with runtime state of one database, such as jobs: an export omits them, and an import empties them. */
  readonly transient?: readonly string[];
  /** Tables about this database itself: an export omits them, and an import does not change them. */
  readonly fixed?: readonly string[];
}

export const APPLICATION_TABLES = Symbol('APPLICATION_TABLES');

const TABLES = Symbol('TABLES');

/**
 * Declares the tables of a module, on its class. The application has the entities and migrations when the module is imported, and no schema
 * may use the name of one of the tables.
 */
export function Tables(tables: ModuleTables): ClassDecorator {
  return declareOnModule(TABLES, tables);
}

/**
 * Returns the migration class of statements that create tables with their indexes. Reverting it drops the tables, the last one first.
 *
 * @param name class name, as in {@link ModuleTables.migrations}.
 */
export function tablesMigration(name: string, statements: string): Type<MigrationInterface> {
  const tables = [...statements.matchAll(/CREATE (?:UNLOGGED )?TABLE ("[^"]+")/g)].map(([, table]) => table).reverse();
  class TablesMigration implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(statements);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP TABLE ${tables.join(', ')}`);
    }
  }
  return Object.defineProperty(TablesMigration, 'name', { value: name });
}

/** Collects what modules declare by {@link Tables}, including their imports. `own` are the modules of the application. */
export function tablesOf(service: readonly AnyModule[], own: readonly AnyModule[]): ApplicationTables {
  const serviceTables = collect(service);
  const all = collect([...service, ...own]);
  return {
    entities: all.entities,
    migrations: serviceTables.migrations,
    ofService: serviceTables.names,
    names: all.names,
    own: {
      entities: all.entities.filter((entity) => !serviceTables.entities.includes(entity)),
      migrations: all.migrations.filter((migration) => !serviceTables.migrations.includes(migration)),
    },
    staying: { transient: all.transient, fixed: all.fixed },
  };
}

function collect(modules: readonly AnyModule[]) {
  const tables = declarationsOf<ModuleTables>(modules, TABLES).map(({ declared }) => declared);
  return {
    names: [...new Set(tables.flatMap(namesOf))],
    entities: [...new Set(tables.flatMap(({ entities = [] }) => entities))],
    migrations: [...new Set(tables.flatMap(({ migrations = [] }) => migrations))],
    transient: tables.flatMap(({ transient = [] }) => transient),
    fixed: tables.flatMap(({ fixed = [] }) => fixed),
  };
}

function namesOf({ entities = [], others = [] }: ModuleTables): readonly string[] {
  return [...entities.flatMap(tableOf), ...others];
}

function tableOf(entity: Type): readonly string[] {
  const name = getMetadataArgsStorage().tables.find(({ target }) => target === entity)?.name;
  return name === undefined ? [] : [name];
}
