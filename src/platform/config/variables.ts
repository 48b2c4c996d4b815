import { type AnyModule, type Declaration, declarationsOf, declareOnModule } from '../extension/module-settings.js';
import { assertOwnedOnce } from '../../kernel/errors/definition-error.js';
import type { Config } from './config.types.js';

/** Reports a fault inside a value with several parts: the place, and the requirement ("be a list"). */
export type ReportFault = (variable: string, fault: string) => void;

/** One environment variable: its parser, default and documentation. */
export interface Variable<T> {
  /** Turns the text into the value, or throws an error whose message completes "VARIABLE must …". */
  readonly parse: (text: string, report: ReportFault) => T;
  /** The value if the variable is not set. Left out if there is no default, or if it depends on other variables. */
  readonly default?: T;
  /** The default for the documentation, if it differs from `default`. */
  readonly defaultText?: string;
  readonly meaning: string;
  /** Error code of a request that exceeds the value, if the variable limits requests. */
  readonly error?: string;
  /** Whether the value must never be printed, not even in part. */
  readonly secret?: boolean;
  /** Section of the documentation. Default: the group of the declaration. */
  readonly group?: string;
  /** Returns the current value if the variable is not set and its default depends on other variables. */
  readonly inForce?: (config: Config) => string;
}

export type VariableTable = Readonly<Record<string, Variable<unknown>>>;

type ParsedBy<Row> = Row extends { readonly parse: (text: string, report: ReportFault) => infer T } ? T : never;

/** The values of declared variables, by name. A value without a default can be undefined. */
export type ValuesOf<V extends VariableTable> = {
  readonly [N in keyof V]: V[N] extends { readonly default: unknown } ? ParsedBy<V[N]> : ParsedBy<V[N]> | undefined;
};

type DeepPartial<T> = T extends readonly unknown[] | ((...parameters: never[]) => unknown)
  ? T
  : { readonly [K in keyof T]?: DeepPartial<T[K]> };

/** Context of {@link Variables.settings} in addition to the values of its variables. */
export interface SettingsContext {
  readonly config: Config;
  of<V extends VariableTable>(declaration: Variables<V>): ValuesOf<V>;
}

interface VariablesUse<V extends VariableTable> {
  /** Returns this module's part of {@link Config}. The type is added by declaration merging. */
  settings?(values: ValuesOf<V>, context: SettingsContext): DeepPartial<Config>;
  /** Checks settings against each other. Each fault names its variable and never contains a secret. */
  faults?(config: Config, context: SettingsContext): readonly string[];
}

/** The variables of a module, declared by {@link defineVariables}. */
export interface Variables<V extends VariableTable = VariableTable> extends VariablesUse<V> {
  readonly group: string;
  readonly variables: V;
  /** Injection token of the frozen values, of type {@link ValuesOf}. */
  readonly token: symbol;
}

/**
 * Defines the variables of a feature, in `<feature>.variables.ts`. Register them with `@DeclaresVariables` on its module.
 *
 * @param group section of the documentation.
 */
export function defineVariables<V extends VariableTable>(
  group: string,
  variables: V & { readonly [N in keyof V]: Variable<ParsedBy<V[N]>> },
  use: VariablesUse<V> = {},
): Variables<V> {
  return { ...use, group, variables, token: Symbol(`variables: ${Object.keys(variables).join(', ')}`) };
}

const VARIABLES = Symbol('VARIABLES');

/** Declares the variables of a module, on its class. The application has them when the module is imported. */
export function DeclaresVariables(...declarations: readonly Variables[]): ClassDecorator {
  return declareOnModule(VARIABLES, declarations);
}

/** @throws DefinitionError for a variable that two modules declare. */
export function variablesOf(modules: readonly AnyModule[]): readonly Variables[] {
  const found = declarationsOf<readonly Variables[]>(modules, VARIABLES);
  assertOwnedOnce('the variable', found.flatMap(namesOf));
  return [...new Set(found.flatMap(({ declared }) => declared))];
}

function namesOf({ owner, declared }: Declaration<readonly Variables[]>): (readonly [string, string])[] {
  return declared.flatMap(({ variables }) => Object.keys(variables).map((name) => [name, owner.name] as const));
}
