import { type DynamicModule, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.port.js';
import { OWN_PORTS, OwnPorts, type PortImplementations, providePort } from './ports.js';

const CLOCK = providePort('clock', Clock, SystemClock, { now: true, nowMs: true });

@Module({})
export class KernelModule {
  /** @param ports the application's classes, by the name of the port. */
  static forRoot(ports: PortImplementations = {}): DynamicModule {
    return {
      module: KernelModule,
      global: true,
      providers: [{ provide: OWN_PORTS, useValue: new OwnPorts(ports) }, CLOCK],
      exports: [OWN_PORTS, Clock],
    };
  }
}
