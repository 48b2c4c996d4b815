import type { Json } from '../filter/filter-tree.js';
import type { FilterKind } from './field-kind.types.js';
import { filterValue, localTime, readLocalTime, readNumber, readInteger } from './values.js';

const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
const ORDERED = ['$eq', '$neq', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$null'] as const;

/** Text filter. The default operator searches within the text. */
export const TEXT_FILTER: FilterKind = {
  operators: [
    '$icontains',
    '$eq',
    '$neq',
    '$contains',
    '$notcontains',
    '$in',
    '$nin',
    '$like',
    '$ilike',
    '$notlike',
    '$gt',
    '$gte',
    '$lt',
    '$lte',
    '$null',
  ],
  read: (typed) => typed,
  write: text,
};

export const INTEGER_FILTER: FilterKind = {
  operators: ORDERED,
  read: (typed) => filterValue(readInteger(typed)),
  write: text,
};
export const NUMBER_FILTER: FilterKind = {
  operators: ORDERED,
  read: (typed) => filterValue(readNumber(typed)),
  write: text,
};
export const TIME_FILTER: FilterKind = {
  operators: ['$gte', '$lte', '$gt', '$lt', '$eq', '$neq', '$null'],
  read: (typed) => filterValue(readLocalTime(typed)),
  write: localTime,
};
export const UUID_FILTER: FilterKind = { operators: ORDERED, read: (typed) => typed.trim() || undefined, write: text };
export const CHOICE_FILTER: FilterKind = {
  operators: ['$eq', '$neq', '$in', '$nin', '$null'],
  read: (typed) => typed || undefined,
  write: text,
};
export const BOOL_FILTER: FilterKind = {
  operators: ['$eq', '$neq', '$null'],
  read: (typed) => (typed === 'true' ? true : typed === 'false' ? false : undefined),
  write: text,
};
export const PRESENCE_FILTER: FilterKind = { operators: ['$null'], read: () => undefined, write: text };
/** Relations are filtered by the key of the related record. */
export const KEY_FILTER: FilterKind = {
  operators: ['$eq', '$neq', '$in', '$nin', '$null'],
  read: (typed) => typed.trim() || undefined,
  write: text,
};
