import { type DynamicModule, Module } from '@nestjs/common';
import { Clock, SystemClock } from '../../kernel/clock.port.js';
import { assertPorts, OWN_PORTS, type PortImplementations, providePort } from './ports.js';

const CLOCK = providePort('clock', Clock, SystemClock, { now: true, nowMs: true });

/** Provides the clock, and the application's classes for ports. */
@Module({})
export class ExtensionModule {
  /** @param ports the application's classes, by the name of the port. */
  static forRoot(ports: PortImplementations = {}): DynamicModule {
    assertPorts(ports);
    return {
      module: ExtensionModule,
      global: true,
      providers: [{ provide: OWN_PORTS, useValue: ports }, CLOCK],
      exports: [OWN_PORTS, Clock],
    };
  }
}
