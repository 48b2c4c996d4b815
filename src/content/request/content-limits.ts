/** Bounds of a content request (issue 6); whatever is beyond them is refused, so that the worst allowed request stays cheap. */
export const CONTENT_LIMITS = {
  /** Relations in one path of a filter, a sort key or a selection. */
  depth: 5,
  /** Relations that one request expands. */
  relationNodes: 25,
  /** Conditions of one filter. */
  conditions: 100,
  /** Levels of `$and`, `$or`, `$not` and quantifiers inside each other. */
  logicDepth: 10,
  /** Bytes of a filter as it is sent, in UTF-8. */
  filterBytes: 8_192,
  /** Values of one `$in` or `$nin`. */
  inValues: 500,
  sortKeys: 8,
  /** Records of a page where `limit` says nothing, and at most. */
  pageSize: 10,
  maxPageSize: 100,
  /** Records that may be skipped by `page`; beyond that a cursor is the way. */
  maxOffset: 1_000_000,
  /** Records of one expanded to-many relation. */
  children: 100,
  /** Characters of `select` and of `sort`. */
  listLength: 4_096,
  /** Records that one request may answer at most, over all its relations: page size times limits, path by path. */
  expandedRecords: 100_000,
  /** What `count=capped` counts to. */
  cappedCount: 10_000,
  /** Fields that one request selects, over all its relations. */
  selectedFields: 500,
  /** Records that one nested write touches. */
  nestedRecords: 200,
  /** Records of one bulk create, and records that a bulk update or delete may match. */
  bulkRecords: 1_000,
  batchOperations: 50,
  /** Bytes of an answer that is kept for an `Idempotency-Key`. */
  keptAnswerBytes: 1_048_576,
} as const;
