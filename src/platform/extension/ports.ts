import type { Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Clock } from '../../kernel/clock.port.js';
import { DefinitionError } from '../../kernel/errors/definition-error.js';

type Port<T = unknown> = abstract new (...parameters: never[]) => T;

/**
 * Every port by its name in a definition. Its owner adds it by declaration merging:
 *
 *     declare module '../../platform/extension/ports.js' {
 *       interface KnownPorts {
 *         readonly mailer: Mailer;
 *       }
 *     }
 */
export interface KnownPorts {
  readonly clock: Clock;
}

export type PortImplementations = { readonly [N in keyof KnownPorts]?: Type<KnownPorts[N]> };

/** All methods that a class for a port must have. `remote` methods may call another service. */
export type PortMethods<T> = { readonly [M in keyof T & string]: true | 'remote' };

export const OWN_PORTS = Symbol('OWN_PORTS');

const NAMES = new Set<string>();

/** Errors that `remote` methods of an application's classes have thrown. */
const FAULTS = new WeakSet<Error>();

/** Returns whether an application's port class failed. Its remote service may be temporarily unavailable. */
export function isPortFault(error: unknown): error is Error {
  return error instanceof Error && FAULTS.has(error);
}

/** @throws DefinitionError for an unknown port, and for a value that is no injectable class. */
export function assertPorts(implementations: PortImplementations): void {
  if (typeof implementations !== 'object' || implementations === null || Symbol.iterator in implementations)
    throw new DefinitionError(
      'ports must be an object with a class for each port, such as { passwordHasher: AcmeHasher }.',
    );
  for (const [name, implementation] of Object.entries(implementations))
    if (implementation !== undefined) assertPort(name, implementation);
}

function assertPort(name: string, implementation: unknown): void {
  if (!NAMES.has(name))
    throw new DefinitionError(`ports.${name} is not a port. The ports are ${[...NAMES].sort().join(', ')}.`);
  if (typeof implementation !== 'function') throw new DefinitionError(`ports.${name} must be a class.`);
  const own = implementation as Type;
  const isAsking = own.length > 0 && Object.hasOwn(own, 'prototype');
  if (isAsking && !Reflect.hasMetadata('design:paramtypes', own))
    throw new DefinitionError(
      `ports.${name}: ${own.name} has a constructor with parameters that cannot be injected. Decorate the class with @Injectable().`,
    );
}

/** The default of a port: a class, or a function that chooses an implementation. */
type PortDefault<T> = Type<T> | { create(module: ModuleRef): T };

/**
 * Provides a port by the application's class, or else by the default. The start fails with a {@link DefinitionError} if a class lacks one of
 * the methods.
 */
export function providePort<N extends keyof KnownPorts>(
  name: N,
  port: Port<KnownPorts[N]>,
  byDefault: PortDefault<KnownPorts[N]>,
  methods: PortMethods<KnownPorts[N]>,
): Provider {
  NAMES.add(name);
  return {
    provide: port,
    inject: [ModuleRef, { token: OWN_PORTS, optional: true }],
    useFactory: async (module: ModuleRef, ports: PortImplementations = {}) => {
      const own: Type<KnownPorts[N]> | undefined = ports[name];
      if (own === undefined)
        return typeof byDefault === 'function' ? module.create(byDefault) : byDefault.create(module);
      const implementation = await create(module, name, own);
      const missing = Object.keys(methods).filter(
        (method) => typeof implementation[method as keyof typeof implementation] !== 'function',
      );
      if (missing.length === 0) return noting(implementation, methods);
      throw new DefinitionError(`ports.${name}: ${own.name} has no ${missing.join('(), ')}().`);
    },
  };
}

/** Records the errors of the remote methods of an instance, without changing them. */
function noting<T extends object>(implementation: T, methods: PortMethods<T>): T {
  const remote = Object.entries(methods).filter(([, kind]) => kind === 'remote');
  for (const [name] of remote) {
    const run = Reflect.get(implementation, name) as (...args: unknown[]) => unknown;
    const noted = async (...args: unknown[]): Promise<unknown> => {
      try {
        return await run.apply(implementation, args);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        FAULTS.add(error);
        throw error;
      }
    };
    Reflect.set(implementation, name, noted);
  }
  return implementation;
}

async function create<T>(module: ModuleRef, name: string, own: Type<T>): Promise<T> {
  try {
    return await module.create(own);
  } catch (error) {
    if ((error as Error).constructor.name !== 'UnknownDependenciesException') throw error;
    const dependencies = (Reflect.getMetadata('design:paramtypes', own) as (Type | undefined)[] | undefined) ?? [];
    const names = dependencies.map((type) => type?.name ?? 'an unknown dependency').join(', ');
    throw new DefinitionError(
      `ports.${name}: ${own.name} cannot be created: it requires ${names}, and the module of the port does not provide all of them.`,
    );
  }
}
