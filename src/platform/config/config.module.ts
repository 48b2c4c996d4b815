import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from './config.types.js';

/** Injection token of the frozen {@link Config}. */
export const CONFIG = Symbol('CONFIG');

/** Provides the configuration to the whole application. */
@Module({})
export class ConfigModule {
  /** @param config the parsed configuration: see `loadConfig`. */
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
  }
}
