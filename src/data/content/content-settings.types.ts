/** Limits of content requests. Environment variables set them. */
export interface ContentSettings {
  /** Relations in one path of a filter, a sort key or a selection. */
  readonly depth: number;
  /** Relations that one request may expand. */
  readonly relationNodes: number;
  /** Conditions in one filter. */
  readonly conditions: number;
  /** Size of the filter parameter in bytes (UTF-8). */
  readonly filterBytes: number;
  /** Values of one `$in` or `$nin`. */
  readonly inValues: number;
  readonly sortKeys: number;
  /** Maximum records per page. */
  readonly maxPageSize: number;
  /** Records of one expanded to-many relation. */
  readonly children: number;
  /** Records that one nested write may affect. */
  readonly nestedRecords: number;
  /** Records in one bulk create, and records that a bulk update or delete may match. */
  readonly bulkRecords: number;
  readonly batchOperations: number;
  /** Records in one import, which is one transaction. */
  readonly importRecords: number;
  /** Size of one import in bytes. */
  readonly importBytes: number;
}

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly content: ContentSettings;
  }
}
