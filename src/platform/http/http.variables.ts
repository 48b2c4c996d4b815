import {
  defineVariables,
  type NetworkTrust,
  parseBoolean,
  parseHeaderName,
  parseList,
  parseOrigin,
  parseTrust,
} from '../config/config.public.js';

export const HTTP_VARIABLES = defineVariables(
  'Service',
  {
    RATE_LIMIT_ENABLED: {
      default: true,
      parse: parseBoolean,
      meaning: 'enables the built-in rate limits; disable them only for benchmarks and tests',
    },
    CORS_ORIGINS: {
      default: [],
      parse: parseList(parseOrigin),
      meaning:
        'origins whose pages can call the API with a token in the header, separated by commas, such as `https://app.example.com`; cookies work only for the origin of the service',
    },
    CORS_HEADERS: {
      default: [],
      parse: parseList(parseHeaderName),
      meaning:
        'request headers that pages of `CORS_ORIGINS` can send in addition to those of the API, separated by commas',
    },
    TRUST_PROXY: {
      default: false,
      defaultText: '',
      parse: parseTrust,
      meaning:
        'trusted reverse proxies: their number, a list of their networks (CIDR), or `azure`, `cloudflare` or `aws-alb`; without it, forwarded headers are ignored',
    },
  },
  {
    settings: (values) => ({
      rateLimitEnabled: values.RATE_LIMIT_ENABLED,
      corsOrigins: values.CORS_ORIGINS,
      corsHeaders: values.CORS_HEADERS,
      trustProxy: values.TRUST_PROXY,
    }),
  },
);

declare module '../config/config.types.js' {
  interface Config {
    readonly rateLimitEnabled: boolean;
    /** Origins whose pages may call the API (Fetch Standard, "CORS protocol"). */
    readonly corsOrigins: readonly string[];
    readonly corsHeaders: readonly string[];
    readonly trustProxy: NetworkTrust;
  }
}
