/** All pages are in one chunk. */
export { ListPage } from './list-page.js';
export { RecordPage } from './record-page.js';
export { RecordsPage } from './records-page.js';
