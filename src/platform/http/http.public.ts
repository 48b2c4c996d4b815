export {
  addressRangeText,
  clientBlock,
  clientNetwork,
  isAddressIn,
  parseAddressRange,
  type AddressRange,
} from './client/client-address.js';
export {
  allOf,
  characterCount,
  type FieldCheck,
  isPlainText,
  optionalCredential,
  optionalFlag,
  optionalTick,
  optionalInteger,
  optionalSecret,
  optionalText,
  requiredCredential,
  requiredSecret,
  requiredText,
  withConstraints,
} from './input/field.decorator.js';
export { inputFaultOf } from './input/input-classes.js';
export { type CookieScope, cookieScope } from './client/cookie-scope.js';
export { isForPage, knowsTag, requestLanguage, takesGzip, versionTags } from './output/negotiation.js';
export {
  assertRateLimitsDistinct,
  defineRateLimits,
  type RateLimitName,
  type RateLimitPolicy,
} from './rate-limit/rate-limit.policies.js';
export { IgnoresUnknown } from './input/unknown-input.js';
export { MAX_JSON_DEPTH, parseJsonBody } from './input/json-body.js';
export { bodyParts } from './input/streamed-body.js';
