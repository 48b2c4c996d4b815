export { configurationInForce, type VariableInForce } from './documentation.js';
export { loadConfig, readEnvironment } from './load-config.js';
export { ConfigError, parseConfig } from './parse-config.js';
export {
  type NetworkTrust,
  parseAddress,
  parseBoolean,
  parseDomain,
  parseEmailKey,
  parseHost,
  parseInteger,
  parseLine,
  parseHeaderName,
  parseList,
  parseOneOf,
  parseOrigin,
  parseRedirectUri,
  parseSender,
  parseTrust,
  type Parser,
  ValueFault,
} from './parsers.js';
export { DeclaresVariables, defineVariables, type ReportFault, type ValuesOf, type Variables } from './variables.js';
