import { isJsonObject } from '../../../kernel/text/json.js';
import { isStorable } from '../../../kernel/text/storable-text.js';
import type { FilterNode, FilterOperator, FilterScalar } from './list-query.types.js';
import { type QueryFault, type QueryFaults, tooDeep } from './query-faults.js';

interface OperatorRow {
  readonly operator: FilterOperator;
  readonly negative?: boolean;
  readonly takes: 'scalar' | 'scalar_or_null' | 'list' | 'text' | 'boolean';
}

/** The operators of filters. A negative operator is the exact complement of its positive one. */
const OPERATORS = new Map<string, OperatorRow>([
  ['$eq', { operator: 'eq', takes: 'scalar_or_null' }],
  ['$neq', { operator: 'eq', negative: true, takes: 'scalar_or_null' }],
  ['$gt', { operator: 'gt', takes: 'scalar' }],
  ['$gte', { operator: 'gte', takes: 'scalar' }],
  ['$lt', { operator: 'lt', takes: 'scalar' }],
  ['$lte', { operator: 'lte', takes: 'scalar' }],
  ['$in', { operator: 'in', takes: 'list' }],
  ['$nin', { operator: 'in', negative: true, takes: 'list' }],
  ['$like', { operator: 'like', takes: 'text' }],
  ['$notlike', { operator: 'like', negative: true, takes: 'text' }],
  ['$ilike', { operator: 'ilike', takes: 'text' }],
  ['$contains', { operator: 'contains', takes: 'text' }],
  ['$notcontains', { operator: 'contains', negative: true, takes: 'text' }],
  ['$icontains', { operator: 'icontains', takes: 'text' }],
  ['$null', { operator: 'null', takes: 'boolean' }],
]);
const QUANTIFIERS = { $some: 'some', $none: 'none', $every: 'every' } as const;
const EVERYTHING: FilterNode = { kind: 'and', of: [] };

/** Parses the JSON of a filter. Errors are added to `faults`; the result must then not be used. */
export function parseFilter(text: string, location: string, faults: QueryFaults): FilterNode {
  if (Buffer.byteLength(text) > faults.limits.filterBytes) {
    faults.add(location, 'too_long', `has more than ${faults.limits.filterBytes} bytes`);
    return EVERYTHING;
  }
  return new FilterReader(location, faults).text(text);
}

/** Reads a filter that is parsed already. */
export function readFilter(value: unknown, location: string, faults: QueryFaults): FilterNode {
  return new FilterReader(location, faults).value(value);
}

class FilterReader {
  private conditions = 0;

  constructor(
    private readonly location: string,
    private readonly faults: QueryFaults,
  ) {}

  text(text: string): FilterNode {
    try {
      return this.value(JSON.parse(text));
    } catch {
      return this.refuse(this.location, 'malformed');
    }
  }

  value(value: unknown): FilterNode {
    return this.group(value, this.location, 0);
  }

  private group(value: unknown, location: string, depth: number): FilterNode {
    if (!isJsonObject(value)) return this.refuse(location, 'malformed');
    const { logicDepth } = this.faults.limits;
    if (depth > logicDepth) return this.refuse(location, 'too_deep', `has more than ${logicDepth} levels`);
    return all(Object.entries(value).map(([key, entry]) => this.member(key, entry, location, depth)));
  }

  private member(key: string, value: unknown, location: string, depth: number): FilterNode {
    if (key === '$and' || key === '$or') return this.groups(key, value, location, depth);
    if (key === '$not') return { kind: 'not', of: this.group(value, `${location}.$not`, depth + 1) };
    if (key === '$search') return this.search(value, location);
    if (key.startsWith('$')) return this.refuse(`${location}.${key}`, 'unknown_operator');
    return this.field(key, value, depth);
  }

  private groups(key: '$and' | '$or', value: unknown, location: string, depth: number): FilterNode {
    if (!Array.isArray(value)) return this.refuse(`${location}.${key}`, 'malformed');
    const of = value.map((entry, index) => this.group(entry, `${location}.${key}[${index}]`, depth + 1));
    return { kind: key === '$and' ? 'and' : 'or', of };
  }

  private search(value: unknown, location: string): FilterNode {
    this.count(`${location}.$search`);
    if (typeof value !== 'string' || !isStorable(value)) return this.refuse(`${location}.$search`, 'value_invalid');
    return { kind: 'search', text: value };
  }

  private field(name: string, value: unknown, depth: number): FilterNode {
    const path = name.split('.');
    if (path.length - 1 > this.faults.limits.depth)
      return this.refuse(name, 'too_deep', tooDeep(this.faults.limits.depth));
    if (!isJsonObject(value)) return this.condition(path, '$eq', value, name);
    const entries = Object.entries(value);
    if (entries.length === 0) return this.refuse(name, 'malformed');
    return all(
      entries.map(([operator, operand]) => {
        const quantifier = QUANTIFIERS[operator as keyof typeof QUANTIFIERS];
        if (quantifier === undefined || !Object.hasOwn(QUANTIFIERS, operator))
          return this.condition(path, operator, operand, name);
        return { kind: 'quantified', quantifier, path, of: this.group(operand, `${name}.${operator}`, depth + 1) };
      }),
    );
  }

  private condition(path: readonly string[], name: string, value: unknown, location: string): FilterNode {
    this.count(location);
    const row = OPERATORS.get(name);
    if (row === undefined) return this.refuse(`${location}.${name}`, 'unknown_operator');
    const { inValues } = this.faults.limits;
    if (row.takes === 'list' && Array.isArray(value) && value.length > inValues)
      return this.refuse(`${location}.${name}`, 'too_many', `has more than ${inValues} values`);
    const node = this.operand(path, row, value);
    if (node === null) return this.refuse(`${location}.${name}`, 'value_invalid');
    return row.negative === true ? { kind: 'not', of: node } : node;
  }

  private operand(path: readonly string[], { operator, takes }: OperatorRow, value: unknown): FilterNode | null {
    const isNull: FilterNode = { kind: 'condition', path, operator: 'null', values: [] };
    if (takes === 'boolean') return typeof value !== 'boolean' ? null : value ? isNull : { kind: 'not', of: isNull };
    if (takes === 'scalar_or_null' && value === null) return isNull;
    if (takes !== 'list') {
      const fits = takes === 'text' ? typeof value === 'string' && isStorable(value) : isScalar(value);
      return fits ? { kind: 'condition', path, operator, values: [value as FilterScalar] } : null;
    }
    if (!Array.isArray(value)) return null;
    const values = value.filter((entry) => entry !== null);
    if (!values.every(isScalar)) return null;
    const among: FilterNode = { kind: 'condition', path, operator, values };
    return values.length === value.length ? among : { kind: 'or', of: [among, isNull] };
  }

  private count(location: string): void {
    this.conditions += 1;
    const { conditions } = this.faults.limits;
    if (this.conditions === conditions + 1)
      this.faults.add(location, 'too_many', `has the first of more than ${conditions} conditions`);
  }

  private refuse(field: string, ...fault: QueryFault): FilterNode {
    this.faults.add(field, ...fault);
    return EVERYTHING;
  }
}

function all(of: readonly FilterNode[]): FilterNode {
  return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'and', of };
}

function isScalar(value: unknown): value is FilterScalar {
  return typeof value === 'string' ? isStorable(value) : typeof value === 'number' || typeof value === 'boolean';
}
