/** Bounds of content requests that an administrator may change (CONTRACT §7). */
export interface ContentSettings {
  /** Relations in one path of a filter, a sort key or a selection. */
  readonly depth: number;
  /** Relations that one request expands. */
  readonly relationNodes: number;
  /** Conditions of one filter. */
  readonly conditions: number;
  /** Bytes of a filter as it is sent, in UTF-8. */
  readonly filterBytes: number;
  /** Values of one `$in` or `$nin`. */
  readonly inValues: number;
  readonly sortKeys: number;
  /** Records of a page at most. */
  readonly maxPageSize: number;
  /** Records of one expanded to-many relation. */
  readonly children: number;
  /** Records that one nested write touches. */
  readonly nestedRecords: number;
  /** Records of one bulk create, and records that a bulk update or delete may match. */
  readonly bulkRecords: number;
  readonly batchOperations: number;
  /** Records of one import, which is one transaction. */
  readonly importRecords: number;
  /** Bytes of one import. */
  readonly importBytes: number;
}

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly content: ContentSettings;
  }
}
