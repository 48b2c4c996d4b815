import { type DynamicModule, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.port.js';
import { PORT_IMPLEMENTATIONS, type PortImplementations, providePort } from './ports.js';

/** The ports of the ground floor with their defaults, and which ports the application fills by itself. */
@Module({})
export class KernelModule {
  /** @param ports the application's own classes, by the port that each fills. */
  static forRoot(ports: PortImplementations = new Map()): DynamicModule {
    return {
      module: KernelModule,
      global: true,
      providers: [{ provide: PORT_IMPLEMENTATIONS, useValue: ports }, providePort(Clock, SystemClock)],
      exports: [PORT_IMPLEMENTATIONS, Clock],
    };
  }
}
