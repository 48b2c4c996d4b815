import { defineLimit } from '../../../kernel/limits.js';
import type { ContentSettings } from '../content-settings.types.js';
import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import '../content.errors.js';

const FIXED_LIMITS = {
  logicDepth: defineLimit(
    10,
    'Content',
    'levels of `$and`, `$or`, `$not` and quantifiers in a filter',
    'query_invalid',
  ),
  /** Default page size. */
  pageSize: 10,
  maxOffset: defineLimit(1_000_000, 'Content', 'records that `page` skips; use `cursor` beyond that', 'query_invalid'),
  listLength: defineLimit(4_096, 'Content', 'characters of `select` or `sort`', 'query_invalid'),
  expandedRecords: defineLimit(
    100_000,
    'Content',
    'records of one response: page size times the limits of its relations',
    'query_invalid',
  ),
  cappedCount: defineLimit(10_000, 'Content', 'records that `count=capped` counts', null),
  /** Also the default of `limit` in `relations`. */
  links: defineLimit(100, 'Content', 'links that a plain list replaces', 'links_truncated'),
  selectedFields: defineLimit(
    500,
    'Content',
    'selected fields of one request, with those of its relations',
    'query_invalid',
  ),
  storedResponseBytes: defineLimit(
    1_048_576,
    'Content',
    'bytes of a response that is stored for an `Idempotency-Key`',
    'field_invalid',
  ),
} as const;

/** Limits of a content request. Requests beyond them are rejected, so that the worst allowed request stays affordable. */
export type ContentLimits = ContentSettings & typeof FIXED_LIMITS;

export function contentLimits({ content }: { readonly content: ContentSettings }): ContentLimits {
  return { ...FIXED_LIMITS, ...content };
}

/**
 * Maximum number of links that a record shows without `relations`. A record with more links was read in part, so a plain array must not
 * replace them.
 */
export function linksOfList({ links, children }: Pick<ContentLimits, 'links' | 'children'>): number {
  return Math.min(links, children);
}

const MESSAGES = {
  unknown_parameter: 'is not a parameter of this route',
  required: 'is required',
  repeated_parameter: 'is sent more than once',
  repeated_name: 'is listed more than once',
  malformed: 'is not well-formed',
  unknown_field: 'is not a field that you can use here',
  unknown_operator: 'is not an operator',
  operator_unfit: 'does not support this operator',
  value_invalid: 'has a value that does not fit the field',
} as const;

export type PlainFaultCode = keyof typeof MESSAGES;

export type QueryFault =
  | readonly [code: PlainFaultCode, message?: string]
  | readonly [code: 'too_many' | 'too_long' | 'too_deep' | 'out_of_range', message: string];

export class QueryFaults {
  private readonly faults: FieldFault[] = [];

  constructor(readonly limits: ContentLimits) {}

  /** Adds an error; a message replaces the default of the code. Hidden and unknown names get the same message. */
  add(field: string, ...[code, message]: QueryFault): void {
    if (this.faults.length >= 50) return;
    const text = message ?? MESSAGES[code as PlainFaultCode];
    this.faults.push({ field: field.slice(0, 200), code, message: text });
  }

  addRepeated(field: string, names: readonly string[]): void {
    const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
    for (const name of repeated) this.add(field, 'repeated_name', `has ${JSON.stringify(name)} more than once`);
  }

  get isEmpty(): boolean {
    return this.faults.length === 0;
  }

  /** @throws AppError `query_invalid` with all errors. */
  assertNone(): void {
    if (this.faults.length > 0) throw this.toError();
  }

  toError(): AppError {
    return new AppError('query_invalid', { details: { errors: this.faults } });
  }
}

/** Returns the error of a request with a single error. */
export function queryInvalid(limits: ContentLimits, field: string, ...fault: QueryFault): AppError {
  const faults = new QueryFaults(limits);
  faults.add(field, ...fault);
  return faults.toError();
}

export function tooDeep(depth: number): string {
  return `has more than ${depth} relations in one path`;
}
