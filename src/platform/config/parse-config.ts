import { OperatorError } from '../../kernel/errors/definition-error.js';
import type { Config } from './config.types.js';
import type { ReportFault, SettingsContext, ValuesOf, Variables, VariableTable } from './variables.js';

/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Contains all faults of a configuration. Each names its variable and never contains a secret. */
export class ConfigError extends OperatorError {
  constructor(readonly faults: readonly string[]) {
    super(['The configuration is not valid:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
  }
}

/**
 * Parses every variable, creates the settings of each module in order, and checks the settings against each other. `APP_KEY` may still be
 * empty outside production: the caller creates one.
 *
 * @param declarations the variables of the modules. A module is listed after the modules that it needs.
 * @throws ConfigError with all faults.
 */
export function parseConfig(environment: Environment, declarations: readonly Variables[]): Config {
  const faults: string[] = [];
  const values = new Map<Variables, ValuesOf<VariableTable>>();
  // Faults inside one variable are listed after the faults of whole variables.
  const inside: string[] = [];
  const report: ReportFault = (variable, fault) => inside.push(`${variable} must ${fault}`);
  for (const declared of declarations) values.set(declared, parseVariables(environment, declared, faults, report));
  const config: Fields = { ownPorts: [], variables: {}, given: setVariables(environment, declarations) };
  const context: SettingsContext = {
    config: config as never,
    of: (declaration) => (values.get(declaration as never) ?? {}) as never,
  };
  for (const [declared, own] of values) merge(config, declared.settings?.(own, context) ?? { variables: own });
  faults.push(...inside, ...declarations.flatMap((declared) => declared.faults?.(context.config, context) ?? []));
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(context.config);
}

/** Contains no secrets: the API shows these values. */
function setVariables(environment: Environment, declarations: readonly Variables[]): Readonly<Record<string, string>> {
  const rows = declarations.flatMap(({ variables }) => Object.entries(variables));
  return Object.fromEntries(
    rows.flatMap(([name, { secret }]) => {
      const text = environment[name] ?? '';
      return text === '' ? [] : [[name, secret === true ? 'set' : text]];
    }),
  );
}

function parseVariables(
  environment: Environment,
  { variables }: Variables,
  faults: string[],
  report: ReportFault,
): ValuesOf<VariableTable> {
  const parsed = Object.entries(variables).map(([name, variable]) => {
    const text = environment[name];
    if (text === undefined || text === '') return [name, variable.default];
    try {
      return [name, variable.parse(text, report)];
    } catch (error) {
      faults.push(`${name} must ${error instanceof Error ? error.message : 'be valid'}`);
      return [name, variable.default];
    }
  });
  return Object.fromEntries(parsed) as ValuesOf<VariableTable>;
}

type Fields = Record<string, unknown>;

function merge(into: Fields, part: object): void {
  for (const [name, value] of Object.entries(part)) {
    const before = into[name];
    if (isPlain(before) && isPlain(value)) merge(before, value);
    else into[name] = isPlain(value) ? { ...value } : value;
  }
}

function isPlain(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
