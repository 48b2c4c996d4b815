import { isDeepStrictEqual } from 'node:util';
import type { DynamicModule, Type } from '@nestjs/common';
import type { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { assertDistinct, DefinitionError } from '../../kernel/errors/definition-error.js';

export interface MergeRules<T> {
  readonly allowedKeys?: readonly (keyof T & string)[];
  /** Lists that are concatenated across modules. */
  readonly lists?: readonly (keyof T & string)[];
}

/** Returns the settings that the modules of an application have under a token, in the order of the modules. */
export function collectSettings<T>(modules: ModulesContainer, token: symbol): readonly T[] {
  return [...modules.values()].flatMap(({ providers }) => (providers.get(token)?.instance as T | undefined) ?? []);
}

/**
 * Merges the settings of several modules. Each may be set in one place only, unless the values are equal or a list that is concatenated.
 *
 * @param source for the error message, such as `RegistrationPolicyModule.forRoot`.
 * @throws DefinitionError for an unknown setting, and for one that two modules set differently.
 */
export function mergeSettings<T extends object>(
  source: string,
  options: readonly Partial<T>[],
  { allowedKeys, lists = [] }: MergeRules<T> = {},
): Partial<T> {
  const merged = new Map<keyof T & string, unknown>();
  for (const [name, value] of options.flatMap(
    (settings) => Object.entries(settings) as [keyof T & string, unknown][],
  )) {
    if (allowedKeys?.includes(name) === false)
      throw new DefinitionError(`${source} has no setting ${name}. Its settings are ${allowedKeys.join(', ')}.`);
    if (value === undefined) continue;
    const before = merged.get(name);
    if (before === undefined || isDeepStrictEqual(before, value)) merged.set(name, value);
    else if (lists.includes(name)) merged.set(name, [...new Set([...(before as unknown[]), ...(value as unknown[])])]);
    else
      throw new DefinitionError(
        `Two modules set ${name} with ${source} to different values. Set it in one module only.`,
      );
  }
  return Object.fromEntries(merged) as Partial<T>;
}

export type AnyModule = Type | DynamicModule;

export interface Declaration<T> {
  readonly owner: Type;
  readonly declared: T;
}

/** Declares a property of a module, on its class. The application has it when the module is imported. */
export function declareOnModule(key: symbol, declared: unknown): ClassDecorator {
  return (target) => Reflect.defineMetadata(key, declared, target);
}

/** Collects the declarations of modules, and of the modules that they import. Each class is included once. */
export function declarationsOf<T>(modules: readonly AnyModule[], key: symbol): readonly Declaration<T>[] {
  const seen = new Set<AnyModule>();
  const visit = (module: AnyModule): readonly Declaration<T>[] => {
    if (seen.has(module)) return [];
    seen.add(module);
    const isDynamic = 'module' in module;
    const owner = isDynamic ? module.module : module;
    const declared = isDynamic ? undefined : (Reflect.getOwnMetadata(key, owner) as T | undefined);
    const imported = isDynamic ? [owner, ...(module.imports ?? [])] : importsOf(module);
    return [...(declared === undefined ? [] : [{ owner, declared }]), ...imported.filter(isModule).flatMap(visit)];
  };
  return modules.flatMap(visit);
}

function importsOf(module: Type): readonly unknown[] {
  return (Reflect.getMetadata('imports', module) as unknown[] | undefined) ?? [];
}

/** Promises and forward references declare nothing. */
function isModule(entry: unknown): entry is AnyModule {
  return typeof entry === 'function' || (typeof entry === 'object' && entry !== null && 'module' in entry);
}

export function declaredIn<T>(modules: ModulesContainer, key: symbol): readonly Declaration<T>[] {
  const owners = new Set([...modules.values()].map(({ metatype }) => metatype));
  return [...owners].flatMap((owner) => {
    const declared = Reflect.getOwnMetadata(key, owner) as T | undefined;
    return declared === undefined ? [] : [{ owner, declared }];
  });
}

/**
 * Returns the providers of all modules that are instances of a class, in the order of the modules.
 *
 * @param what subject of the error message for two equal names.
 * @throws DefinitionError for two providers with the same name.
 */
export function namedProviders<T>(
  discovery: DiscoveryService,
  type: abstract new (...parameters: never[]) => T,
  namesOf: (provider: T) => readonly string[],
  what: string,
): readonly T[] {
  const instances = new Set(discovery.getProviders().map(({ instance }) => instance as unknown));
  const found = [...instances].filter((instance): instance is T => instance instanceof type);
  assertDistinct(found.flatMap(namesOf), what);
  return found;
}
