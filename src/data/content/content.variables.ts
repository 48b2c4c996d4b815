import { defineVariables, type Parser, parseInteger } from '../../platform/config/config.public.js';

function limit(
  fallback: number,
  maximum: number,
  meaning: string,
  error = 'query_invalid',
): { readonly default: number; readonly parse: Parser<number>; readonly meaning: string; readonly error: string } {
  return {
    default: fallback,
    parse: parseInteger(1, maximum),
    meaning: `${meaning}; 1 to ${maximum.toLocaleString('en')}`,
    error,
  };
}

/** Limits of content requests. The maximum of each value keeps the worst request affordable. */
export const CONTENT_VARIABLES = defineVariables(
  'Content',
  {
    CONTENT_MAX_DEPTH: limit(5, 10, 'maximum number of relations in one path of a filter, sort key or selection'),
    CONTENT_MAX_RELATIONS: limit(25, 100, 'maximum number of relations that one request expands'),
    CONTENT_MAX_CONDITIONS: limit(100, 1_000, 'maximum number of conditions of a filter'),
    CONTENT_MAX_FILTER_BYTES: limit(8_192, 15_000, 'maximum size of a filter, in bytes'),
    CONTENT_MAX_IN_VALUES: limit(500, 5_000, 'maximum number of values of `$in` or `$nin`'),
    CONTENT_MAX_SORT_KEYS: limit(8, 16, 'maximum number of sort keys of a request'),
    CONTENT_MAX_PAGE_SIZE: limit(100, 1_000, 'maximum number of records on a page'),
    CONTENT_MAX_CHILDREN: limit(
      1_000,
      1_000,
      'maximum number of records of an expanded to-many relation; 100 unless `relations` requests more',
    ),
    CONTENT_MAX_NESTED_RECORDS: limit(200, 2_000, 'maximum number of nested records in one write', 'field_invalid'),
    CONTENT_MAX_BULK_RECORDS: limit(1_000, 10_000, 'maximum number of records of a bulk request'),
    CONTENT_MAX_BATCH_OPERATIONS: limit(50, 500, 'maximum number of operations in a batch', 'field_invalid'),
    CONTENT_MAX_IMPORT_RECORDS: limit(
      100_000,
      1_000_000,
      'maximum number of records of an import, which is one transaction',
      'import_invalid',
    ),
    CONTENT_MAX_IMPORT_BYTES: limit(
      104_857_600,
      2_147_483_647,
      'maximum size of an import, in bytes',
      'body_too_large',
    ),
  },
  {
    settings: (values) => ({
      content: {
        depth: values.CONTENT_MAX_DEPTH,
        relationNodes: values.CONTENT_MAX_RELATIONS,
        conditions: values.CONTENT_MAX_CONDITIONS,
        filterBytes: values.CONTENT_MAX_FILTER_BYTES,
        inValues: values.CONTENT_MAX_IN_VALUES,
        sortKeys: values.CONTENT_MAX_SORT_KEYS,
        maxPageSize: values.CONTENT_MAX_PAGE_SIZE,
        children: values.CONTENT_MAX_CHILDREN,
        nestedRecords: values.CONTENT_MAX_NESTED_RECORDS,
        bulkRecords: values.CONTENT_MAX_BULK_RECORDS,
        batchOperations: values.CONTENT_MAX_BATCH_OPERATIONS,
        importRecords: values.CONTENT_MAX_IMPORT_RECORDS,
        importBytes: values.CONTENT_MAX_IMPORT_BYTES,
      },
    }),
  },
);
