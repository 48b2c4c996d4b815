import { isStorable } from '../../kernel/text/storable-text.js';
import { defineLimit } from '../../kernel/limits.js';
import { DefinitionError } from '../../kernel/errors/definition-error.js';

interface FunctionTypes {
  string: string;
  int: number;
  double: number;
  bool: boolean;
  timestamp: Date;
}

/** Makes a signature with an unknown type fail to compile. */
interface NoSuchType<Name> {
  readonly noSuchType: Name;
}

type TypeOf<Name extends string> = Name extends `list<${infer Entry}>`
  ? readonly TypeOf<Entry>[]
  : Name extends keyof FunctionTypes
    ? FunctionTypes[Name]
    : NoSuchType<Name>;

type ArgumentsOf<Names extends string> = Names extends ''
  ? []
  : Names extends `${infer First}, ${infer Rest}`
    ? [TypeOf<First>, ...ArgumentsOf<Rest>]
    : [TypeOf<Names>];

/** The function type of a signature such as `acme_rank(int, list<string>): int`. */
export type FunctionOf<Signature extends string> = Signature extends `${string}(${infer Names}): ${infer Result}`
  ? (...args: ArgumentsOf<Names>) => TypeOf<Result>
  : never;

/** A custom function for expressions, created by {@link defineFunction}. */
export interface DefinedFunction {
  readonly signature: string;
}

export interface InstalledFunction {
  /** With CEL type names. */
  readonly signature: string;
  readonly handler: (...args: unknown[]) => unknown;
}

export type FunctionReport = (name: string, error: unknown) => void;

interface ValueForm {
  readonly cel: string;
  /** Converts an argument. Throws if the value is not allowed. */
  readonly toRuntime: (value: unknown) => unknown;
  /** Converts a result. Throws if the value is not of the type. */
  readonly fromRuntime: (value: unknown) => unknown;
}

const MAX_TEXT = defineLimit(65_536, 'Expressions', 'characters of a text that a function receives or returns', null);
const MAX_LIST = defineLimit(10_000, 'Expressions', 'entries of a list that a function receives or returns', null);
/** @internal */
const MAX_ARGUMENTS = 16;
/** Minimum time between reports of one function, which may fail for each record of a list. */
const REPORT_INTERVAL_MS = 60_000;
const SIGNATURE = /^([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\(([^()]*)\): (\S+)$/;

const FORMS: Readonly<Record<keyof FunctionTypes, ValueForm>> = {
  string: { cel: 'string', toRuntime: text, fromRuntime: text },
  int: {
    cel: 'int',
    toRuntime: (value) => integerOf(typeof value === 'bigint' ? Number(value) : value),
    fromRuntime: (value) => BigInt(integerOf(value)),
  },
  double: { cel: 'double', toRuntime: (value) => value, fromRuntime: (value) => ofType('number', value) },
  bool: { cel: 'bool', toRuntime: (value) => value, fromRuntime: (value) => ofType('boolean', value) },
  timestamp: { cel: 'google.protobuf.Timestamp', toRuntime: time, fromRuntime: time },
};

const FUNCTIONS = new WeakMap<DefinedFunction, (...args: never[]) => unknown>();
const INSTALLED = new Map<string, InstalledFunction & { readonly defined: DefinedFunction }>();
let installed: readonly InstalledFunction[] = [];

/**
 * Defines a function that setters, getters and rules may call. It must be synchronous and pure, with a running time bounded by its
 * arguments. List it in `functions` of the application definition to install it.
 *
 * @param signature its name, which must start with a custom prefix before a `_`, and its types: `string`, `int`, `double`, `bool`,
 * `timestamp`, and `list<…>` of them, as in `acme_rank(int, list<string>): int`.
 */
export function defineFunction<const Signature extends string>(
  signature: Signature,
  run: FunctionOf<Signature>,
): DefinedFunction {
  const defined = Object.freeze({ signature });
  FUNCTIONS.set(defined, run as (...args: never[]) => unknown);
  return defined;
}

/**
 * Installs the functions of an application definition. If another definition in the process has a function with the same name and types,
 * expressions compiled from now on call the newer one.
 *
 * @throws DefinitionError for an invalid function, and for two functions of the definition with the same name and types.
 */
export function installFunctions(functions: readonly DefinedFunction[], report: FunctionReport): void {
  const own = new Map<string, DefinedFunction>();
  for (const defined of functions) {
    const run = FUNCTIONS.get(defined);
    if (run === undefined)
      throw new DefinitionError('functions contains an entry that is not a result of defineFunction().');
    const read = readSignature(String(defined.signature));
    const { name, parameterTypes, result } = read;
    assertPlain(name, run, parameterTypes.length);
    const key = `${name}(${parameterTypes.map(({ cel }) => cel).join(', ')})`;
    if ((own.get(key) ?? defined) !== defined)
      throw new DefinitionError(`Two functions have the signature ${key}. Rename one of them.`);
    own.set(key, defined);
    if (INSTALLED.get(key)?.defined === defined) continue;
    const handler = withErrorReport(read, run, report);
    INSTALLED.set(key, { defined, signature: `${key}: ${result.cel}`, handler });
    installed = [...INSTALLED.values()];
  }
}

/** Returns the installed functions. The list is a new object after each change. */
export function installedFunctions(): readonly InstalledFunction[] {
  return installed;
}

interface Signature {
  readonly name: string;
  readonly parameterTypes: readonly ValueForm[];
  readonly result: ValueForm;
}

function readSignature(signature: string): Signature {
  const [, name = '', names = '', result = ''] = SIGNATURE.exec(signature) ?? [];
  if (name === '')
    throw new DefinitionError(
      `The function ${JSON.stringify(signature)} must have a form such as acme_rank(int, string): int. The name must start with your own prefix and an underscore.`,
    );
  const parameterTypes = names === '' ? [] : names.split(', ').map((type) => formOf(name, type));
  if (parameterTypes.length > MAX_ARGUMENTS)
    throw new DefinitionError(`The function ${name} has more than ${MAX_ARGUMENTS} arguments. Use a list instead.`);
  return { name, parameterTypes, result: formOf(name, result) };
}

function formOf(name: string, type: string): ValueForm {
  const entry = /^list<(.+)>$/.exec(type)?.[1];
  if (entry !== undefined) return listOf(formOf(name, entry));
  if (Object.hasOwn(FORMS, type)) return FORMS[type as keyof FunctionTypes];
  throw new DefinitionError(
    `The function ${name} has the type ${type || 'of nothing'}: use ${Object.keys(FORMS).join(', ')}, or list<…> of them.`,
  );
}

function listOf({ cel, toRuntime, fromRuntime }: ValueForm): ValueForm {
  const each = (turn: ValueForm['toRuntime']) => (value: unknown) => {
    if (!Array.isArray(value) || value.length > MAX_LIST)
      throw new TypeError(`not a list of at most ${MAX_LIST} entries`);
    return Object.freeze(value.map(turn));
  };
  return { cel: `list<${cel}>`, toRuntime: each(toRuntime), fromRuntime: each(fromRuntime) };
}

function assertPlain(name: string, run: unknown, parameterTypes: number): void {
  if (typeof run !== 'function')
    throw new DefinitionError(`The function ${name} must have a function as its run option.`);
  if (!/^Function$/.test(run.constructor.name))
    throw new DefinitionError(`The function ${name} must be synchronous: neither async nor a generator.`);
  if (run.length > parameterTypes)
    throw new DefinitionError(
      `The function ${name} has ${run.length} parameters, and its signature lists ${parameterTypes}.`,
    );
}

/** Reports errors of the function to the operator. The expression only fails. */
function withErrorReport(
  { name, parameterTypes, result }: Signature,
  run: (...args: never[]) => unknown,
  report: FunctionReport,
): InstalledFunction['handler'] {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (...args) => {
    try {
      return result.fromRuntime(run(...(parameterTypes.map(({ toRuntime }, at) => toRuntime(args[at])) as never[])));
    } catch (error) {
      const now = performance.now();
      if (now - reportedAt >= REPORT_INTERVAL_MS) report(name, error);
      if (now - reportedAt >= REPORT_INTERVAL_MS) reportedAt = now;
      throw new Error(`${name} failed`, { cause: error });
    }
  };
}

function text(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_TEXT || !isStorable(value))
    throw new TypeError(`not a text of at most ${MAX_TEXT} characters`);
  return value;
}

function integerOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError('not a whole number below 2^53');
  return value;
}

function time(value: unknown): Date {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw new TypeError('not a timestamp');
  return new Date(value);
}

function ofType(type: 'number' | 'boolean', value: unknown): unknown {
  if (typeof value !== type) throw new TypeError(`not a ${type}`);
  return value;
}
