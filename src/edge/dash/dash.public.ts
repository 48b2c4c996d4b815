/** Plain helpers and tables of dash that other folders use, beside its module, services, ports and types. */
export { pagePolicy } from './page-policy.js';
