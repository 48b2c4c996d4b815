import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from './config.types.js';
import { SERVICE_VARIABLES } from './service.variables.js';
import { DeclaresVariables, type Variables } from './variables.js';

/** Injection token of the frozen {@link Config}. */
export const CONFIG = Symbol('CONFIG');

/** Injection token of the variables of the application, as its modules declare them. */
export const DECLARED_VARIABLES = Symbol('DECLARED_VARIABLES');

/** Provides the configuration to the whole application, and the values of declared variables by their tokens. */
@DeclaresVariables(SERVICE_VARIABLES)
@Module({})
export class ConfigModule {
  /**
   * @param config the parsed configuration: see `loadConfig`.
   * @param declarations of the application, of which it was parsed.
   */
  static forRoot(config: Config, declarations: readonly Variables[] = []): DynamicModule {
    const own = declarations
      .filter(({ settings }) => settings === undefined)
      .map(({ token, variables }) => ({ provide: token, useValue: valuesOf(config, Object.keys(variables)) }));
    return {
      module: ConfigModule,
      global: true,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: DECLARED_VARIABLES, useValue: declarations },
        ...own,
      ],
      exports: [CONFIG, DECLARED_VARIABLES, ...own.map(({ provide }) => provide)],
    };
  }
}

function valuesOf({ variables }: Config, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.freeze(Object.fromEntries(names.map((name) => [name, variables[name]])));
}
