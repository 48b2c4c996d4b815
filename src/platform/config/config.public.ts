/** Plain helpers and tables of config that other folders use, beside its module, services, ports and types. */
export { configurationInForce } from './documentation.js';
export { loadConfig, readEnvironment } from './load-config.js';
export { ConfigError, parseConfig } from './parse-config.js';
