import type { Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DefinitionError } from './definition-error.js';

/** A port: the abstract class by which it is injected. */
export type Port<T = unknown> = abstract new (...parameters: never[]) => T;

/** The ports that an application fills by itself, each with the class that does it: a `Map`, or a list of pairs. */
export type PortImplementations = Iterable<readonly [port: Port, implementation: Type]>;

/** The methods that a class for a port must have, all of them. */
export type PortMethods<T> = { readonly [M in keyof T & string]: true };

/** Injection token of the {@link OwnPorts}. */
export const OWN_PORTS = Symbol('OWN_PORTS');

/** Every port that a module of the service provides. */
const PORTS = new Set<Port>();

/** The ports that an application fills by itself, checked. */
export class OwnPorts {
  private readonly classes = new Map<Port, Type>();

  /** @throws DefinitionError for what is no port or no class, and for a port that is filled twice. */
  constructor(implementations: PortImplementations) {
    if (typeof implementations !== 'object' || !(Symbol.iterator in implementations))
      throw new DefinitionError('ports must be a Map or a list of pairs: [[PasswordHasher, AcmeHasher]].');
    for (const pair of implementations) {
      const [port, implementation] = Array.isArray(pair) ? (pair as readonly [Port, Type]) : [];
      if (typeof port !== 'function' || typeof implementation !== 'function')
        throw new DefinitionError('Each of the ports must be a pair of two classes: [PasswordHasher, AcmeHasher].');
      if (!PORTS.has(port)) {
        const names = [...PORTS].map(({ name }) => name).sort();
        throw new DefinitionError(`ports fills ${port.name}, which is no port; the ports are ${names.join(', ')}.`);
      }
      if (this.classes.has(port)) throw new DefinitionError(`ports fills ${port.name} twice: keep one class.`);
      this.classes.set(port, implementation);
    }
  }

  /** Returns the application's class for a port, if it has one. */
  find<T>(port: Port<T>): Type<T> | undefined {
    return this.classes.get(port) as Type<T> | undefined;
  }
}

/**
 * Provides a port: by the application's own class where it names one, else by the default. Either may inject what its
 * module knows.
 *
 * @param methods of the port, all of them: a class that lacks one stops the start with a {@link DefinitionError}.
 */
export function providePort<T extends object>(port: Port<T>, defaultClass: Type<T>, methods: PortMethods<T>): Provider {
  PORTS.add(port);
  return {
    provide: port,
    inject: [ModuleRef, { token: OWN_PORTS, optional: true }],
    useFactory: async (module: ModuleRef, ports?: OwnPorts) => {
      const own = ports?.find(port);
      if (own === undefined) return module.create(defaultClass);
      const made = await module.create(own);
      const missing = Object.keys(methods).filter((name) => typeof made[name as keyof T] !== 'function');
      if (missing.length === 0) return made;
      throw new DefinitionError(`ports: ${own.name} cannot be the ${port.name}, it has no ${missing.join('(), ')}().`);
    },
  };
}
