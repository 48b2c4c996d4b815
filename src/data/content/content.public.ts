export { arrivingBytes } from './import/rows/arriving-bytes.js';
export { withEscape } from './export/formulas.js';
export type { RowFault } from './import/import-faults.js';
export { type ContentLimits, contentLimits, linksOfList } from './request/content-limits.js';
export type { RawQuery } from './request/parse-list-query.js';
export { FileRooms } from './write/file-rooms.js';
export { ruleFault } from './resolve/rules/rule-fault.js';
