import type { Operator, Quantifier } from './filter-tree.js';

/** Words of the operators in a filter text. An operator must not be a prefix of a later one. */
export const OPERATOR_KEYWORDS: readonly (readonly [word: string, operator: Operator])[] = [
  ['not contains', '$notcontains'],
  ['not like', '$notlike'],
  ['not in', '$nin'],
  ['contains', '$contains'],
  ['icontains', '$icontains'],
  ['like', '$like'],
  ['ilike', '$ilike'],
  ['in', '$in'],
  ['==', '$eq'],
  ['!=', '$neq'],
  ['>=', '$gte'],
  ['<=', '$lte'],
  ['>', '$gt'],
  ['<', '$lt'],
];

export const QUANTIFIER_KEYWORDS: readonly (readonly [word: string, quantifier: Quantifier])[] = [
  ['some', '$some'],
  ['none', '$none'],
  ['every', '$every'],
];

/** Reserved words. A field with such a name needs backquotes. */
export const RESERVED: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'all',
  'any',
  'json',
  'search',
  'everything',
]);

/** A path that needs no backquotes. */
export const PLAIN_PATH = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
/** A text value that needs no quotes. */
export const PLAIN_VALUE = /^[\p{L}\p{N}_@:./+-]+$/u;
