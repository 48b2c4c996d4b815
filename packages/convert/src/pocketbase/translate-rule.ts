import { type Filter, type Operand, parseFilter } from './parse-filter.js';

export interface RuleField {
  readonly name: string;
  readonly kind: 'text' | 'enum' | 'number' | 'integer' | 'bool' | 'time' | 'key' | 'one' | 'many' | 'other';
  readonly optional: boolean;
  readonly target?: string;
}

export type FindField = (collection: string, field: string) => RuleField | undefined;

export interface RuleContext {
  readonly collection: string;
  readonly find: FindField;
  /** Returns a CEL condition for accounts of an auth collection. */
  readonly accountsOf: (collection: string) => string | undefined;
}

export interface TranslatedRule {
  readonly cel: string;
  /** Whether guests can never meet it. */
  readonly needsAccount: boolean;
  /** Whether it contains a substring match, which is case-sensitive here. */
  readonly isNarrower: boolean;
}

class Untranslatable extends Error {}

/**
 * Translates a PocketBase rule to CEL. The result never grants more: if a part has no equivalent, the whole rule is rejected. Unlike in
 * PocketBase, an empty relation does not match a guest.
 *
 * @returns the reason if the rule cannot be translated.
 */
export function translateRule(text: string, context: RuleContext): TranslatedRule | string {
  const filter = parseFilter(text);
  if (filter === undefined) return 'it cannot be parsed';
  try {
    return { cel: render(filter, context), needsAccount: needsAccount(filter), isNarrower: usesParts(filter) };
  } catch (error) {
    if (error instanceof Untranslatable) return error.message;
    throw error;
  }
}

function render(filter: Filter, context: RuleContext): string {
  if (filter.kind === 'compare') return compare(filter, context);
  const parts = filter.parts.map((part) => (part.kind === 'or' ? `(${render(part, context)})` : render(part, context)));
  return parts.join(filter.kind === 'and' ? ' && ' : ' || ');
}

function needsAccount(filter: Filter): boolean {
  if (filter.kind === 'and') return filter.parts.some(needsAccount);
  if (filter.kind === 'or') return filter.parts.every(needsAccount);
  const [path, other] = pathFirst(filter.left, filter.right);
  if (!path.startsWith('@request.auth.')) return false;
  if (filter.operator === '!=') return isEmpty(other);
  return other.kind === 'path' ? filter.operator !== '!~' : !isEmpty(other);
}

function usesParts(filter: Filter): boolean {
  return filter.kind === 'compare' ? filter.operator === '~' : filter.parts.some(usesParts);
}

/** Puts the path of a comparison first, with `@request.auth` before fields. */
function pathFirst(left: Operand, right: Operand): readonly [string, Operand] {
  const rank = (operand: Operand): number =>
    operand.kind !== 'path' ? 2 : operand.text.startsWith('@request.auth.') ? 0 : operand.text.startsWith('@') ? 2 : 1;
  const [first, second] = rank(left) <= rank(right) ? [left, right] : [right, left];
  return [first.kind === 'path' ? first.text : '', second];
}

function isEmpty(operand: Operand): boolean {
  return (operand.kind === 'text' && operand.value === '') || (operand.kind === 'word' && operand.value === null);
}

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

type Comparison = Extract<Filter, { kind: 'compare' }>;

function compare({ left, right, operator }: Comparison, context: RuleContext): string {
  const [path, other] = pathFirst(left, right);
  if (path === '') throw new Untranslatable('it compares no field with a value');
  const isMirrored = left.kind !== 'path' || left.text !== path;
  const sign = isMirrored ? (MIRRORED[operator] ?? operator) : operator;
  if (isMirrored && /~/.test(sign) && other.kind !== 'path') throw new Untranslatable('it looks for a field in a text');
  return path.startsWith('@') ? compareAccount(path, sign, other, context) : compareField(path, sign, other, context);
}

function compareAccount(path: string, operator: string, other: Operand, context: RuleContext): string {
  if (other.kind === 'path') {
    if (!/^@request\.auth\.(id|email)$/.test(path) || other.text.startsWith('@'))
      throw new Untranslatable(`${other.text.startsWith('@') ? other.text : path} is not available in rules`);
    return compareField(other.text, operator, { kind: 'path', text: path }, context);
  }
  const isEqual = operator === '=';
  if (!isEqual && operator !== '!=') throw new Untranslatable(`${path} is compared by ${operator}`);
  if (path === '@request.auth.id' || path === '@request.auth.email') {
    const value = isEmpty(other) ? "''" : literal(other);
    return `auth.${path.slice('@request.auth.'.length)} ${isEqual ? '==' : '!='} ${value}`;
  }
  if (path !== '@request.auth.collectionName' || other.kind !== 'text')
    throw new Untranslatable(`${path} is not available in rules`);
  const condition = context.accountsOf(other.value);
  if (condition === undefined) throw new Untranslatable(`the accounts ${other.value} do not exist`);
  return isEqual ? condition : `!(${condition})`;
}

interface FieldPath {
  /** `record.author.name` */
  readonly cel: string;
  readonly field: RuleField;
  /** Relations of the path. If one is empty, the value behind it is empty too. */
  readonly steps: readonly string[];
}

function resolve(path: string, context: RuleContext): FieldPath {
  if (/:|_via_/.test(path)) throw new Untranslatable(`${path} has a modifier, or follows a back relation`);
  const names = path.split('.');
  const steps: string[] = [];
  let [collection, cel]: [string, string] = [context.collection, 'record'];
  for (const [at, name] of names.entries()) {
    const field = context.find(collection, name);
    if (field === undefined) throw new Untranslatable(`the field ${path} does not exist`);
    cel += `.${field.name}`;
    if (at === names.length - 1) return { cel, field, steps };
    // The id of the target is the relation itself.
    if (names[at + 1] === 'id' && at === names.length - 2 && (field.kind === 'one' || field.kind === 'many'))
      return { cel, field, steps };
    if (field.kind !== 'one' || field.target === undefined) throw new Untranslatable(`${path} spans several records`);
    steps.push(cel);
    collection = field.target;
  }
  throw new Untranslatable(`the field ${path} does not exist`);
}

function compareField(path: string, operator: string, other: Operand, context: RuleContext): string {
  const { cel, field, steps } = resolve(path, context);
  const isAny = operator.startsWith('?');
  if (field.kind === 'many') return compareMany(cel, operator, other, steps);
  if (field.kind === 'other') throw new Untranslatable(`${path} has a type that rules do not support`);
  const sign = isAny ? operator.slice(1) : operator;
  const isNullable = field.optional || field.kind === 'one' || field.kind === 'time';
  const behind = (condition: string): string =>
    steps.length === 0 ? condition : `(${[...steps.map((step) => `${step} == null`), condition].join(' || ')})`;
  if (isEmpty(other)) return compareEmpty({ cel, field, isNullable }, sign, behind);
  const value = valueFor(field, other);
  switch (sign) {
    case '=':
      return `${cel} == ${value}`;
    case '!=':
      // In PocketBase the id of a guest is empty, so it does not differ from an empty field.
      return value.startsWith('auth.') ? `(${value} != '' && ${cel} != ${value})` : behind(`${cel} != ${value}`);
    case '~':
      if (field.kind !== 'text' || other.kind !== 'text' || /[%_\\]/.test(other.value))
        throw new Untranslatable(`${path} is compared with a pattern`);
      return `${cel}.contains(${value})`;
    case '<':
    case '<=':
      if (field.kind === 'one' || field.kind === 'bool') throw new Untranslatable(`${path} cannot be ordered`);
      // PocketBase sorts empty values before all others.
      return isNullable ? `(${cel} == null || ${cel} ${sign} ${value})` : `${cel} ${sign} ${value}`;
    case '>':
    case '>=':
      if (field.kind === 'one' || field.kind === 'bool') throw new Untranslatable(`${path} cannot be ordered`);
      return `${cel} ${sign} ${value}`;
    default:
      throw new Untranslatable(`${path} is compared by ${operator}`);
  }
}

function compareMany(cel: string, operator: string, other: Operand, steps: readonly string[]): string {
  const isId = other.kind === 'path' && other.text === '@request.auth.id';
  if (!isId || steps.length > 0 || (operator !== '?=' && operator !== '~' && operator !== '?~'))
    throw new Untranslatable('a relation to many supports only a test for the current account');
  return `auth.id in ${cel}`;
}

function compareEmpty(
  { cel, field, isNullable }: { readonly cel: string; readonly field: RuleField; readonly isNullable: boolean },
  sign: string,
  behind: (condition: string) => string,
): string {
  if (sign !== '=' && sign !== '!=')
    throw new Untranslatable('it compares with an empty value by another operator than equality');
  if (field.kind === 'number' || field.kind === 'integer' || field.kind === 'bool')
    throw new Untranslatable('a number or boolean is never empty');
  const isEqual = sign === '=';
  const parts = [
    ...(isNullable ? [`${cel} ${isEqual ? '==' : '!='} null`] : []),
    ...(field.kind === 'text' ? [`${cel} ${isEqual ? '==' : '!='} ''`] : []),
  ];
  if (parts.length === 0) throw new Untranslatable('the field is never empty');
  const condition = parts.join(isEqual ? ' || ' : ' && ');
  return isEqual ? behind(parts.length > 1 ? `(${condition})` : condition) : condition;
}

function valueFor(field: RuleField, other: Operand): string {
  if (other.kind === 'path') {
    const isId = other.text === '@request.auth.id' && (field.kind === 'one' || field.kind === 'key');
    if (isId || (other.text === '@request.auth.email' && field.kind === 'text'))
      return `auth.${other.text.slice('@request.auth.'.length)}`;
    if (other.text === '@now' && field.kind === 'time') return 'now';
    throw new Untranslatable(`it compares with ${other.text}`);
  }
  const fits: Readonly<Record<RuleField['kind'], boolean>> = {
    text: other.kind === 'text',
    enum: other.kind === 'text',
    number: other.kind === 'number',
    integer: other.kind === 'number' && Number.isSafeInteger(other.value),
    bool: other.kind === 'word',
    time: other.kind === 'text',
    key: false,
    one: false,
    many: false,
    other: false,
  };
  if (!fits[field.kind]) throw new Untranslatable(`${field.name} is compared with a value of another type`);
  if (field.kind === 'time' && other.kind === 'text') return timeLiteral(other.value);
  if (field.kind === 'number' && other.kind === 'number') return /\./.test(other.text) ? other.text : `${other.text}.0`;
  return literal(other);
}

function timeLiteral(text: string): string {
  const time = Date.parse(text.includes(':') ? text.replace(' ', 'T').replace(/(?<!Z)$/, 'Z') : text);
  if (Number.isNaN(time)) throw new Untranslatable('it compares with a time that cannot be read');
  return `timestamp('${new Date(time).toISOString()}')`;
}

function literal(operand: Operand): string {
  if (operand.kind === 'number') return operand.text;
  if (operand.kind === 'word') return String(operand.value);
  if (operand.kind === 'path') throw new Untranslatable(`it compares with ${operand.text}`);
  if (!/^[^\p{Cc}]*$/u.test(operand.value)) throw new Untranslatable('it has a text with control characters');
  return `'${operand.value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
