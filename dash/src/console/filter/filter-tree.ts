export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
/** A filter of the API (docs/guides/data/reading-records.md, "Filters"). */
export type Filter = { readonly [name: string]: Json };

export const OPERATORS = [
  '$eq',
  '$neq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$like',
  '$notlike',
  '$ilike',
  '$contains',
  '$notcontains',
  '$icontains',
  '$null',
] as const;
export type Operator = (typeof OPERATORS)[number];
export const QUANTIFIERS = ['$some', '$none', '$every'] as const;
export type Quantifier = (typeof QUANTIFIERS)[number];

export type Test =
  | { readonly operator: Operator; readonly value: Json }
  | { readonly quantifier: Quantifier; readonly of: Group };

export type Member =
  /** `bare` for a value without `$eq`. */
  | { readonly kind: 'field'; readonly path: string; readonly isShorthand: boolean; readonly tests: readonly Test[] }
  | { readonly kind: 'list'; readonly mode: '$and' | '$or'; readonly groups: readonly Group[] }
  | { readonly kind: 'not'; readonly of: Group }
  | { readonly kind: 'search'; readonly text: string }
  /** An unknown condition, which stays unchanged. */
  | { readonly kind: 'raw'; readonly name: string; readonly value: Json };

/** Members that are combined with `and`. */
export type Group = readonly Member[];

/** Parses a filter. {@link writeFilter} restores the same filter. */
export function readFilter(filter: Filter): Group {
  return Object.entries(filter).map(([name, value]) => readMember(name, value));
}

/** Serializes a filter. Members with the same name are wrapped in `$and`. */
export function writeFilter(group: Group): Filter {
  const entries = group.map(writeMember);
  const names = new Set(entries.map(([name]) => name));
  if (names.size === entries.length) return Object.fromEntries(entries);
  return { $and: entries.map(([name, value]) => ({ [name]: value })) };
}

function readMember(name: string, value: Json): Member {
  const raw: Member = { kind: 'raw', name, value };
  if (name === '$and' || name === '$or') {
    const groups = Array.isArray(value) ? value.filter(isObject) : null;
    if (groups === null || groups.length !== (value as readonly Json[]).length) return raw;
    return { kind: 'list', mode: name, groups: groups.map(readFilter) };
  }
  if (name === '$not') return isObject(value) ? { kind: 'not', of: readFilter(value) } : raw;
  if (name === '$search') return typeof value === 'string' ? { kind: 'search', text: value } : raw;
  return name.startsWith('$') || name === '' ? raw : readField(name, value);
}

function readField(path: string, value: Json): Member {
  const raw: Member = { kind: 'raw', name: path, value };
  if (!isObject(value)) {
    if (Array.isArray(value)) return raw;
    return { kind: 'field', path, isShorthand: true, tests: [{ operator: '$eq', value }] };
  }
  const tests = Object.entries(value).map(([name, operand]) => readTest(name, operand));
  const readable = tests.filter((test) => test !== null);
  return readable.length === 0 || readable.length < tests.length
    ? raw
    : { kind: 'field', path, isShorthand: false, tests: readable };
}

function readTest(name: string, operand: Json): Test | null {
  const quantifier = QUANTIFIERS.find((item) => item === name);
  if (quantifier !== undefined) return isObject(operand) ? { quantifier, of: readFilter(operand) } : null;
  const operator = OPERATORS.find((item) => item === name);
  if (operator === undefined) return null;
  const isList = operator === '$in' || operator === '$nin';
  if (operator === '$null' && typeof operand !== 'boolean') return null;
  const fits = isList ? Array.isArray(operand) && operand.every(isScalar) : isScalar(operand);
  return fits ? { operator, value: operand } : null;
}

function writeMember(member: Member): readonly [string, Json] {
  switch (member.kind) {
    case 'list':
      return [member.mode, member.groups.map(writeFilter)];
    case 'not':
      return ['$not', writeFilter(member.of)];
    case 'search':
      return ['$search', member.text];
    case 'raw':
      return [member.name, member.value];
    case 'field':
      return [member.path, writeTests(member)];
  }
}

function writeTests({ isShorthand, tests }: Extract<Member, { kind: 'field' }>): Json {
  const [first] = tests;
  if (isShorthand && tests.length === 1 && first !== undefined && 'operator' in first && first.operator === '$eq')
    return first.value;
  return Object.fromEntries(
    tests.map((test) => ('operator' in test ? [test.operator, test.value] : [test.quantifier, writeFilter(test.of)])),
  );
}

export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}
