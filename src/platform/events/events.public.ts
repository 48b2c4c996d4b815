/** Plain helpers and tables of events that other folders use, beside its module, services, ports and types. */
export { ChangeFeed, type Notify } from './change-feed.js';
