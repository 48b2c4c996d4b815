import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';

/** What a module keeps in the database. */
export interface ModuleTables {
  readonly entities?: readonly Type[];
  /** Each class is called after what it does and the millisecond of its making, which orders them all. */
  readonly migrations?: readonly Type<MigrationInterface>[];
}

type AnyModule = Type | DynamicModule;

const TABLES = Symbol('TABLES');

/** Declares the entities and migrations of a module, on its class: they are the application's as soon as it is imported. */
export function Tables(tables: ModuleTables): ClassDecorator {
  return (target) => Reflect.defineMetadata(TABLES, tables, target);
}

/** Collects what modules, and the modules that they import, declare by {@link Tables}. */
export function tablesOf(modules: readonly AnyModule[]): Required<ModuleTables> {
  const entities = new Set<Type>();
  const migrations = new Set<Type<MigrationInterface>>();
  const seen = new Set<AnyModule>();
  const visit = (module: AnyModule): void => {
    if (seen.has(module)) return;
    seen.add(module);
    const isDynamic = 'module' in module;
    const declared = Reflect.getOwnMetadata(TABLES, isDynamic ? module.module : module) as ModuleTables | undefined;
    declared?.entities?.forEach((entity) => entities.add(entity));
    declared?.migrations?.forEach((migration) => migrations.add(migration));
    const imported = isDynamic ? [module.module, ...(module.imports ?? [])] : importsOf(module);
    imported.filter(isModule).forEach(visit);
  };
  modules.forEach(visit);
  return { entities: [...entities], migrations: [...migrations] };
}

function importsOf(module: Type): readonly unknown[] {
  return (Reflect.getMetadata('imports', module) as unknown[] | undefined) ?? [];
}

/** Promises and references to what comes later bring no tables. */
function isModule(entry: unknown): entry is AnyModule {
  return typeof entry === 'function' || (typeof entry === 'object' && entry !== null && 'module' in entry);
}
