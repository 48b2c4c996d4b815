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
      meaning: 'built-in limits of attempts; off for benchmarks and tests',
    },
    CORS_ORIGINS: {
      default: [],
      parse: parseList(parseOrigin),
      meaning:
        'origins whose pages may call the API with a token in the header, with commas between them, as `https://app.example.com`; cookies stay with our own',
    },
    CORS_HEADERS: {
      default: [],
      parse: parseList(parseHeaderName),
      meaning:
        'request headers that pages of `CORS_ORIGINS` may send in addition to those of the API, separated by commas',
    },
    TRUST_PROXY: {
      default: false,
      defaultText: '',
      parse: parseTrust,
      meaning:
        'number of proxies in front, a list of their networks (CIDR), or `azure`, `cloudflare` or `aws-alb`; only then are forwarded headers believed',
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
