import type { Provider, Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';

/** A port: the abstract class by which it is injected. */
export type Port<T = unknown> = abstract new (...parameters: never[]) => T;

/** The ports that an embedding application fills by itself, each with the class that does it. */
export type PortImplementations = ReadonlyMap<Port, Type>;

/** Injection token of the {@link PortImplementations}. */
export const PORT_IMPLEMENTATIONS = Symbol('PORT_IMPLEMENTATIONS');

/** Provides a port: by the application's own class where it names one, else by the default. Either may inject what its module knows. */
export function providePort<T>(port: Port<T>, defaultClass: Type<T>): Provider {
  return {
    provide: port,
    inject: [ModuleRef, { token: PORT_IMPLEMENTATIONS, optional: true }],
    useFactory: (module: ModuleRef, own?: PortImplementations) => module.create(own?.get(port) ?? defaultClass),
  };
}
