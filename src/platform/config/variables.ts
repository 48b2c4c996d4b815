import { type AnyModule, type Declaration, declarationsOf, declareOnModule } from '../../kernel/module-settings.js';
import { assertOwnedOnce } from '../../kernel/errors/definition-error.js';
import type { Config } from './config.types.js';

/** Reports a fault inside of a value that has several: where it is, and what must be there ("be a list"). */
export type ReportFault = (place: string, fault: string) => void;

/** One environment variable: how it is read, what holds without it, what it means. */
export interface Variable<T> {
  /** Turns the text into the value, or throws an error whose message completes "VARIABLE must …". */
  readonly parse: (text: string, report: ReportFault) => T;
  /** The value where the variable is not set; left out where nothing holds, or what depends on others. */
  readonly default?: T;
  /** The default as it is documented, where the value does not say it. */
  readonly defaultText?: string;
  readonly meaning: string;
  /** The error code of a request beyond the value, if the variable limits requests. */
  readonly error?: string;
  /** Never printed, not even in part. */
  readonly secret?: boolean;
  /** The section of the documentation; that of the declaration unless given. */
  readonly group?: string;
  /** Returns what holds without the variable where that depends on others. */
  readonly inForce?: (config: Config) => string;
}

/** Variables by name. */
export type VariableTable = Readonly<Record<string, Variable<unknown>>>;

type ParsedBy<Row> = Row extends { readonly parse: (text: string, report: ReportFault) => infer T } ? T : never;

/** The values of declared variables, by name: undefined only if there is no default. */
export type ValuesOf<V extends VariableTable> = {
  readonly [N in keyof V]: V[N] extends { readonly default: unknown } ? ParsedBy<V[N]> : ParsedBy<V[N]> | undefined;
};

/** A part of an object, at any depth; lists and functions are whole. */
type DeepPartial<T> = T extends readonly unknown[] | ((...parameters: never[]) => unknown)
  ? T
  : { readonly [K in keyof T]?: DeepPartial<T[K]> };

/** Context of settings, beside the values of their own variables. */
export interface SettingsContext {
  /** The settings of the modules before: those of the floors below are there. */
  readonly config: Config;
  /** Returns the values of variables that another module declares. */
  of<V extends VariableTable>(declaration: Variables<V>): ValuesOf<V>;
}

/** Consequences of the values of variables. */
interface VariablesUse<V extends VariableTable> {
  /** Makes the part of {@link Config} that is the owner's, which its types say by declaration merging. */
  settings?(values: ValuesOf<V>, context: SettingsContext): DeepPartial<Config>;
  /** Returns what is wrong between settings: each fault names its variable and never shows a secret. */
  faults?(config: Config, context: SettingsContext): readonly string[];
}

/** The variables of a module, declared by {@link defineVariables}. */
export interface Variables<V extends VariableTable = VariableTable> extends VariablesUse<V> {
  readonly group: string;
  readonly variables: V;
  /** Injects the frozen values, of type {@link ValuesOf}. */
  readonly token: symbol;
}

/**
 * Defines the variables of a feature, in `<feature>.variables.ts`; `@DeclaresVariables` on its module makes them known.
 *
 * @param group their section of the documentation.
 */
export function defineVariables<V extends VariableTable>(
  group: string,
  variables: V & { readonly [N in keyof V]: Variable<ParsedBy<V[N]>> },
  use: VariablesUse<V> = {},
): Variables<V> {
  return { ...use, group, variables, token: Symbol(`variables: ${Object.keys(variables).join(', ')}`) };
}

const VARIABLES = Symbol('VARIABLES');

/** Declares the variables of a module, on its class: they are the application's as soon as it is imported. */
export function DeclaresVariables(...declarations: readonly Variables[]): ClassDecorator {
  return declareOnModule(VARIABLES, declarations);
}

/**
 * Collects what modules, and the modules that they import, declare by {@link DeclaresVariables}.
 *
 * @throws DefinitionError for a variable that two of them declare.
 */
export function variablesOf(modules: readonly AnyModule[]): readonly Variables[] {
  const found = declarationsOf<readonly Variables[]>(modules, VARIABLES);
  assertOwnedOnce('the variable', found.flatMap(namesOf));
  return [...new Set(found.flatMap(({ declared }) => declared))];
}

function namesOf({ owner, declared }: Declaration<readonly Variables[]>): (readonly [string, string])[] {
  return declared.flatMap(({ variables }) => Object.keys(variables).map((name) => [name, owner.name] as const));
}
