/** Helpers that other folders may import, besides its module, services, ports and types. */
export { fixedDocument } from './fixed-document.js';
