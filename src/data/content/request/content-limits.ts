import type { ContentSettings } from '../content-settings.types.js';

/** Bounds of a content request that nobody changes (issue 6). */
const FIXED_LIMITS = {
  /** Levels of `$and`, `$or`, `$not` and quantifiers inside each other. */
  logicDepth: 10,
  /** Records of a page where `limit` says nothing. */
  pageSize: 10,
  /** Records that may be skipped by `page`; beyond that a cursor is the way. */
  maxOffset: 1_000_000,
  /** Characters of `select` and of `sort`. */
  listLength: 4_096,
  /** Records that one request may answer at most, over all its relations: page size times limits, path by path. */
  expandedRecords: 100_000,
  /** Number that `count=capped` counts to. */
  cappedCount: 10_000,
  /** Records of an expanded relation to many where `relations` has no limit, and links that a plain array may replace. */
  links: 100,
  /** Fields that one request selects, over all its relations. */
  selectedFields: 500,
  /** Bytes of an answer that is kept for an `Idempotency-Key`. */
  storedResponseBytes: 1_048_576,
} as const;

/** Bounds of a content request; whatever is beyond them is refused, so that the worst allowed request stays cheap. */
export type ContentLimits = ContentSettings & typeof FIXED_LIMITS;

/** Returns the bounds in force. */
export function contentLimits({ content }: { readonly content: ContentSettings }): ContentLimits {
  return { ...FIXED_LIMITS, ...content };
}

/**
 * Returns the number of links that a record shows without `relations`, if it has as many: a record with more of them is read in part,
 * so a plain array does not replace them.
 */
export function linksOfList({ links, children }: Pick<ContentLimits, 'links' | 'children'>): number {
  return Math.min(links, children);
}
