import { defineLimit } from '../../../kernel/limits.js';
import type { ContentSettings } from '../content-settings.types.js';

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
