/** Plain helpers and tables of content that other folders use, beside its module, services, ports and types. */
export { type ContentLimits, contentLimits } from './request/content-limits.js';
export { ruleFault } from './resolve/rule-fault.js';
