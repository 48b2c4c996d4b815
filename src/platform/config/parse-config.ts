import type { Config } from './config.types.js';
import type { ReportFault, SettingsContext, ValuesOf, Variables, VariableTable } from './variables.js';

/** Environment variables by name, as the process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All faults of a configuration at once. Each names its variable and never shows a secret. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(['The configuration has faults:', ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'ConfigError';
  }
}

/**
 * Reads the whole configuration (CONTRACT §1): parses every variable, lets each owner make its settings of them, in order,
 * and asks each what is wrong between them. `APP_KEY` may still be empty outside production: the caller makes one.
 *
 * @param declarations of the modules, those that need others behind them.
 * @throws ConfigError with every fault at once.
 */
export function parseConfig(environment: Environment, declarations: readonly Variables[]): Config {
  const faults: string[] = [];
  const values = new Map<Variables, ValuesOf<VariableTable>>();
  // What is wrong inside of one variable is told behind what is wrong with others as a whole.
  const inside: string[] = [];
  const report: ReportFault = (place, fault) => inside.push(`${place} must ${fault}`);
  for (const declared of declarations) values.set(declared, parseVariables(environment, declared, faults, report));
  const config: Fields = { ownPorts: [], variables: {}, given: givenIn(environment, declarations) };
  const context: SettingsContext = {
    config: config as never,
    of: (declaration) => (values.get(declaration as never) ?? {}) as never,
  };
  for (const [declared, own] of values) merge(config, declared.settings?.(own, context) ?? { variables: own });
  faults.push(...inside, ...declarations.flatMap((declared) => declared.faults?.(context.config, context) ?? []));
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(context.config);
}

/** Holds nothing secret: what is in force is shown over the API. */
function givenIn(environment: Environment, declarations: readonly Variables[]): Readonly<Record<string, string>> {
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
