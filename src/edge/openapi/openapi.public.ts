/** Plain helpers of openapi that other folders use, beside its module, services, ports and types. */
export { fixedDocument } from './fixed-document.js';
