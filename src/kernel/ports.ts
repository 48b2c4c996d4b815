import type { Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DefinitionError } from './errors/definition-error.js';

type Port<T = unknown> = abstract new (...parameters: never[]) => T;

/**
 * Every port by its name in a definition. Its owner adds it by declaration merging:
 *
 *     declare module '../../kernel/ports.js' {
 *       interface KnownPorts {
 *         readonly mailer: Mailer;
 *       }
 *     }
 */
export interface KnownPorts {}

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

export class OwnPorts {
  private readonly classes: ReadonlyMap<string, unknown>;

  /** @throws DefinitionError for an unknown port, and for a value that is no injectable class. */
  constructor(implementations: PortImplementations) {
    if (typeof implementations !== 'object' || implementations === null || Symbol.iterator in implementations)
      throw new DefinitionError('ports must be an object of classes, by port: { passwordHasher: AcmeHasher }.');
    const entries = Object.entries(implementations).filter(([, given]) => given !== undefined);
    for (const [name, given] of entries) assertPort(name, given);
    this.classes = new Map(entries);
  }

  find<N extends keyof KnownPorts>(name: N): Type<KnownPorts[N]> | undefined {
    return this.classes.get(name) as Type<KnownPorts[N]> | undefined;
  }
}

function assertPort(name: string, given: unknown): void {
  if (!NAMES.has(name))
    throw new DefinitionError(`ports.${name} is no port; the ports are ${[...NAMES].sort().join(', ')}.`);
  if (typeof given !== 'function') throw new DefinitionError(`ports.${name} must be a class.`);
  const own = given as Type;
  const isAsking = own.length > 0 && Object.hasOwn(own, 'prototype');
  if (isAsking && !Reflect.hasMetadata('design:paramtypes', own))
    throw new DefinitionError(
      `ports.${name}: ${own.name} has a constructor that asks for something, and nobody can give it: decorate it with @Injectable().`,
    );
}

/**
 * Provides a port by the application's class, or else by the default class. The start fails with a {@link DefinitionError} if a class lacks
 * one of the methods.
 */
export function providePort<N extends keyof KnownPorts>(
  name: N,
  port: Port<KnownPorts[N]>,
  defaultClass: Type<KnownPorts[N]>,
  methods: PortMethods<KnownPorts[N]>,
): Provider {
  NAMES.add(name);
  return {
    provide: port,
    inject: [ModuleRef, { token: OWN_PORTS, optional: true }],
    useFactory: async (module: ModuleRef, ports?: OwnPorts) => {
      const own = ports?.find(name);
      if (own === undefined) return module.create(defaultClass);
      const made = await create(module, name, own);
      const missing = Object.keys(methods).filter((method) => typeof made[method as keyof typeof made] !== 'function');
      if (missing.length === 0) return noting(made, methods);
      throw new DefinitionError(`ports.${name}: ${own.name} has no ${missing.join('(), ')}().`);
    },
  };
}

/** Records the errors of the remote methods of an instance, without changing them. */
function noting<T extends object>(made: T, methods: PortMethods<T>): T {
  const remote = Object.entries(methods).filter(([, kind]) => kind === 'remote');
  for (const [name] of remote) {
    const run = Reflect.get(made, name) as (...args: unknown[]) => unknown;
    const noted = async (...args: unknown[]): Promise<unknown> => {
      try {
        return await run.apply(made, args);
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        FAULTS.add(error);
        throw error;
      }
    };
    Reflect.set(made, name, noted);
  }
  return made;
}

async function create<T>(module: ModuleRef, name: string, own: Type<T>): Promise<T> {
  try {
    return await module.create(own);
  } catch (error) {
    if ((error as Error).constructor.name !== 'UnknownDependenciesException') throw error;
    const dependencies = (Reflect.getMetadata('design:paramtypes', own) as (Type | undefined)[] | undefined) ?? [];
    const names = dependencies.map((type) => type?.name ?? 'what is not known').join(', ');
    throw new DefinitionError(
      `ports.${name}: ${own.name} cannot be made; it asks for ${names}, and the module of the port does not know all of it.`,
    );
  }
}
