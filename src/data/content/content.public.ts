export { arrivingBytes, type ImportBytes, type RowFault } from './import/rows/import-source.js';
export type { ImportRequest } from './import/open-import.js';
export { withEscape } from './export/export-format.js';
export { type ContentLimits, contentLimits, linksOfList } from './request/query-faults.js';
export type { RawQuery } from './request/parse-list-query.js';
export { FileQuotaChecks } from './write/transaction/file-quota-checks.js';
export { ruleFault } from './resolve/rules/compile-rule.js';
export type { ContentAction, ResolvedKey } from './resolve/conditions.js';
