import { Global, Module } from '@nestjs/common';
import { Clock, SystemClock } from './clock.port.js';

/** The ports of the ground floor with their defaults. A test replaces the clock. */
@Global()
@Module({ providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] })
export class KernelModule {}
