import { type Filter, type Group, type Json, type Member, readFilter, type Test } from './filter-tree.js';
import { PLAIN_PATH, QUANTIFIER_KEYWORDS, RESERVED, OPERATOR_KEYWORDS } from './filter-keywords.js';

/** Formats a filter as text that `parseFilterText` reads back unchanged. */
export function printFilter(filter: Filter): string {
  const group = readFilter(filter);
  const [only] = group;
  if (group.length === 0) return '';
  return group.length === 1 && only?.kind === 'list' && isInfix(only) ? alternatives(only) : printGroup(group);
}

function printGroup(group: Group): string {
  return group.length === 0 ? 'everything' : group.map(printMember).join(' and ');
}

function printMember(member: Member): string {
  switch (member.kind) {
    case 'list':
      if (isInfix(member)) return `(${alternatives(member)})`;
      return `${member.mode === '$and' ? 'all' : 'any'}(${member.groups.map(printGroup).join(', ')})`;
    case 'not':
      return `not (${printGroup(member.of)})`;
    case 'search':
      return `search ${JSON.stringify(member.text)}`;
    case 'raw':
      return `json(${JSON.stringify({ [member.name]: member.value })})`;
    case 'field':
      return printField(member);
  }
}

function isInfix({ mode, groups }: Extract<Member, { kind: 'list' }>): boolean {
  return mode === '$or' && groups.length > 1;
}

function alternatives({ groups }: Extract<Member, { kind: 'list' }>): string {
  return groups.map(printGroup).join(' or ');
}

function printField({ path, isShorthand, tests }: Extract<Member, { kind: 'field' }>): string {
  const name = PLAIN_PATH.test(path) && !RESERVED.has(path) ? path : `\`${path.replaceAll(/[\\`]/g, '\\$&')}\``;
  const [first] = tests;
  if (isShorthand && first !== undefined && 'operator' in first) return `${name} = ${printValue(first.value)}`;
  return tests.length === 1 && first !== undefined
    ? `${name} ${printTest(first)}`
    : `${name} (${tests.map(printTest).join(', ')})`;
}

function printTest(test: Test): string {
  if ('quantifier' in test) {
    const [keyword = ''] = QUANTIFIER_KEYWORDS.find(([, quantifier]) => quantifier === test.quantifier) ?? [];
    return `${keyword} (${printGroup(test.of)})`;
  }
  const { operator, value } = test;
  if (operator === '$null' && typeof value === 'boolean') return value ? 'is empty' : 'is not empty';
  const [keyword = operator] = OPERATOR_KEYWORDS.find(([, candidate]) => candidate === operator) ?? [];
  return `${keyword} ${printValue(value)}`;
}

function printValue(value: Json): string {
  return Array.isArray(value) ? `[${value.map(printValue).join(', ')}]` : JSON.stringify(value);
}
