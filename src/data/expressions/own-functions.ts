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
  readonly give: (value: unknown) => unknown;
  /** Converts a result. Throws if the value is not of the type. */
  readonly take: (value: unknown) => unknown;
}

const MAX_TEXT = defineLimit(65_536, 'Expressions', 'characters of a text that a function receives or returns', null);
const MAX_LIST = defineLimit(10_000, 'Expressions', 'entries of a list that a function receives or returns', null);
/** @internal */
const MAX_ARGUMENTS = 16;
/** Minimum time between reports of one function, which may fail for each record of a list. */
const REPORT_INTERVAL_MS = 60_000;
const SIGNATURE = /^([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\(([^()]*)\): (\S+)$/;

const FORMS: Readonly<Record<keyof FunctionTypes, ValueForm>> = {
  string: { cel: 'string', give: text, take: text },
  int: {
    cel: 'int',
    give: (value) => wholeNumber(typeof value === 'bigint' ? Number(value) : value),
    take: (value) => BigInt(wholeNumber(value)),
  },
  double: { cel: 'double', give: (value) => value, take: (value) => ofType('number', value) },
  bool: { cel: 'bool', give: (value) => value, take: (value) => ofType('boolean', value) },
  timestamp: { cel: 'google.protobuf.Timestamp', give: time, take: time },
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
    if (run === undefined) throw new DefinitionError('functions holds what defineFunction did not make.');
    const { name, given, result } = readSignature(String(defined.signature));
    assertPlain(name, run, given.length);
    const key = `${name}(${given.map(({ cel }) => cel).join(', ')})`;
    if ((own.get(key) ?? defined) !== defined)
      throw new DefinitionError(`Two functions are called ${key}: rename one of them.`);
    own.set(key, defined);
    if (INSTALLED.get(key)?.defined === defined) continue;
    const handler = guarded(name, { run, given, result }, report);
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
  readonly given: readonly ValueForm[];
  readonly result: ValueForm;
}

function readSignature(signature: string): Signature {
  const [, name = '', names = '', result = ''] = SIGNATURE.exec(signature) ?? [];
  if (name === '')
    throw new DefinitionError(
      `The function ${JSON.stringify(signature)} must be written as acme_rank(int, string): int, its name with a word of your own before a _.`,
    );
  const given = names === '' ? [] : names.split(', ').map((type) => formOf(name, type));
  if (given.length > MAX_ARGUMENTS)
    throw new DefinitionError(`The function ${name} has more than ${MAX_ARGUMENTS} arguments: give it a list.`);
  return { name, given, result: formOf(name, result) };
}

function formOf(name: string, type: string): ValueForm {
  const entry = /^list<(.+)>$/.exec(type)?.[1];
  if (entry !== undefined) return listOf(formOf(name, entry));
  if (Object.hasOwn(FORMS, type)) return FORMS[type as keyof FunctionTypes];
  throw new DefinitionError(
    `The function ${name} has the type ${type || 'of nothing'}: use ${Object.keys(FORMS).join(', ')}, or list<…> of them.`,
  );
}

function listOf({ cel, give, take }: ValueForm): ValueForm {
  const each = (turn: ValueForm['give']) => (value: unknown) => {
    if (!Array.isArray(value) || value.length > MAX_LIST) throw new TypeError(`no list of at most ${MAX_LIST} entries`);
    return Object.freeze(value.map(turn));
  };
  return { cel: `list<${cel}>`, give: each(give), take: each(take) };
}

function assertPlain(name: string, run: unknown, given: number): void {
  if (typeof run !== 'function') throw new DefinitionError(`The function ${name} must have a function to run.`);
  if (!/^Function$/.test(run.constructor.name))
    throw new DefinitionError(`The function ${name} must answer at once: it may be neither async nor a generator.`);
  if (run.length > given)
    throw new DefinitionError(`The function ${name} takes ${run.length} values, and its signature names ${given}.`);
}

/** Reports errors of the function to the operator. The expression only fails. */
function guarded(
  name: string,
  { run, given, result }: { run: (...args: never[]) => unknown } & Pick<Signature, 'given' | 'result'>,
  report: FunctionReport,
): InstalledFunction['handler'] {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (...args) => {
    try {
      return result.take(run(...(given.map(({ give }, at) => give(args[at])) as never[])));
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
    throw new TypeError(`no text of at most ${MAX_TEXT} characters`);
  return value;
}

function wholeNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError('no whole number below 2^53');
  return value;
}

function time(value: unknown): Date {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw new TypeError('no time');
  return new Date(value);
}

function ofType(type: 'number' | 'boolean', value: unknown): unknown {
  if (typeof value !== type) throw new TypeError(`no ${type}`);
  return value;
}
