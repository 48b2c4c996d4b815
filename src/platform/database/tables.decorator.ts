import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import { type AnyModule, declarationsOf, declareOnModule } from '../../kernel/module-settings.js';

/** The tables of an application. */
export interface ApplicationTables {
  /** All entities. */
  readonly entities: readonly Type[];
  /** The migrations of the service. */
  readonly migrations: readonly Type<MigrationInterface>[];
  /** Names of the tables that these create. */
  readonly ofService: readonly string[];
  /** Names of the tables of the service and of a team's own modules: no schema may use them. */
  readonly names: readonly string[];
  /** Declarations of a team's own modules. */
  readonly own: Required<Pick<ModuleTables, 'entities' | 'migrations'>>;
  /** Tables that do not move to another database. */
  readonly staying: Required<Pick<ModuleTables, 'transient' | 'fixed'>>;
}

/** Names the tables of a module. */
export interface ModuleTables {
  readonly entities?: readonly Type[];
  /** Each class is called after what it does and the millisecond of its making, which orders them all. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** Names of its tables that have no entity. */
  readonly others?: readonly string[];
  /** Names of its tables whose rows belong to the running of a database, such as jobs: an export leaves them out, an import empties them. */
  readonly transient?: readonly string[];
  /** Names of its tables that speak of this very database: an export leaves them out, and an import lets them be. */
  readonly fixed?: readonly string[];
}

/** Injection token of the {@link ApplicationTables}. */
export const APPLICATION_TABLES = Symbol('APPLICATION_TABLES');

const TABLES = Symbol('TABLES');

/**
 * Declares the tables of a module, on its class: entities and migrations are the application's as soon as it is imported, and
 * no schema may take the name of a table.
 */
export function Tables(tables: ModuleTables): ClassDecorator {
  return declareOnModule(TABLES, tables);
}

/**
 * Collects what modules, and the modules that they import, declare by {@link Tables}.
 *
 * @param service the modules of the service.
 * @param own those of a team's own.
 */
export function tablesOf(service: readonly AnyModule[], own: readonly AnyModule[]): ApplicationTables {
  const ours = collect(service);
  const all = collect([...service, ...own]);
  return {
    entities: all.entities,
    migrations: ours.migrations,
    ofService: ours.names,
    names: all.names,
    own: {
      entities: all.entities.filter((entity) => !ours.entities.includes(entity)),
      migrations: all.migrations.filter((migration) => !ours.migrations.includes(migration)),
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
