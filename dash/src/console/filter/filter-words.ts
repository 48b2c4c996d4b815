import type { Operator, Quantifier } from './filter-tree.js';

/** Words of each operator in the text of a filter. None is the beginning of another that comes after it. */
export const WORDS: readonly (readonly [word: string, operator: Operator])[] = [
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

export const QUANTIFIER_WORDS: readonly (readonly [word: string, quantifier: Quantifier])[] = [
  ['some', '$some'],
  ['none', '$none'],
  ['every', '$every'],
];

/** Names that mean something in a filter by themselves: a field of such a name stands between back quotes. */
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

/** A path as it may stand without quotes. */
export const PLAIN_PATH = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
/** A text that may stand without quotes where a value is meant. */
export const PLAIN_VALUE = /^[\p{L}\p{N}_@:./+-]+$/u;
