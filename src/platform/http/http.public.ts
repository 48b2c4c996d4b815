export {
  addressRangeText,
  clientBlock,
  clientNetwork,
  isAddressIn,
  parseAddressRange,
  type AddressRange,
} from './client/client-address.js';
export { type CookieScope, cookieScope } from './client/cookie-scope.js';
export { isForPage, matchesEtag, requestLanguage, acceptsGzip, versionTags } from './output/negotiation.js';
export { defineRateLimits, type RateLimitName, type RateLimitPolicy } from './rate-limit/rate-limit.policies.js';
export { MAX_JSON_DEPTH, parseJsonBody } from './input/parse-body.js';
export { bodyParts } from './input/streamed-body.js';
