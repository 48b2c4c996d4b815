import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, type Config } from './config.types.js';
import { SERVICE_VARIABLES } from './service.variables.js';
import { DeclaresVariables, type Variables } from './variables.js';

export const DECLARED_VARIABLES = Symbol('DECLARED_VARIABLES');

@DeclaresVariables(SERVICE_VARIABLES)
@Module({})
export class ConfigModule {
  /** @param declarations the variables that `config` was parsed from. */
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
