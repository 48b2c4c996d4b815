import type { Config } from '../../config/config.types.js';

const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Lintel-Consistency',
  'Lintel-Size',
  'Location',
  'Preference-Applied',
  'Retry-After',
  'Tus-Resumable',
  'Upload-Expires',
  'Upload-Length',
  'Upload-Offset',
  'WWW-Authenticate',
  'X-Request-Id',
];

const ACCEPTED = [
  'Authorization',
  'Content-Digest',
  'Content-Disposition',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'If-Range',
  'Lintel-Consistency',
  'Prefer',
  'Range',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-Requested-With',
  'baggage',
  'traceparent',
  'tracestate',
];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Seconds for which a browser caches the response to a preflight. */
const PREFLIGHT_SECONDS = 600;

type Headers = Readonly<Record<string, string>>;

/**
 * The headers of every response: security headers, and CORS headers for the configured origins (Fetch Standard, "CORS protocol"). Pages
 * of these origins send a token in a header; credentials are not allowed, so browsers send no cookies.
 */
export class ResponseHeaders {
  /** Headers of the response to a preflight, in addition to {@link of}; null if no origin is configured. */
  readonly preflight: Headers | null;
  private readonly security: Headers;
  private readonly byOrigin: ReadonlyMap<string, Headers>;
  private readonly origins: readonly string[];

  constructor({ appUrl, corsOrigins, corsHeaders }: Pick<Config, 'appUrl' | 'corsOrigins' | 'corsHeaders'>) {
    this.origins = corsOrigins;
    const isCors = corsOrigins.length > 0;
    this.security = isCors ? { ...securityHeaders(appUrl), vary: 'Origin' } : securityHeaders(appUrl);
    this.byOrigin = new Map(
      corsOrigins.map((origin) => [
        origin,
        {
          ...this.security,
          'access-control-allow-origin': origin,
          'access-control-expose-headers': EXPOSED.join(', '),
        },
      ]),
    );
    this.preflight = isCors
      ? {
          'access-control-allow-methods': METHODS.join(', '),
          'access-control-allow-headers': [...ACCEPTED, ...corsHeaders].join(', '),
          'access-control-max-age': String(PREFLIGHT_SECONDS),
          'content-length': '0',
        }
      : null;
  }

  of(origin: string | undefined): Headers {
    return (origin === undefined ? undefined : this.byOrigin.get(origin)) ?? this.security;
  }

  /**
   * Returns the headers of a response to bytes that could not be parsed. Their `Origin` is read from the last packet. If the packet has
   * none, the first configured origin is used: the response is the same for every client, and browsers hide it from pages of other origins.
   */
  ofPacket(packet: Buffer | undefined): Headers {
    const sent = packet === undefined ? undefined : ORIGIN_LINE.exec(packet.toString('latin1'))?.[1];
    return this.of(sent ?? this.origins[0]);
  }
}

const ORIGIN_LINE = /^origin:[ \t]*(\S+)[ \t]*\r?$/im;

/** Security headers of every response (OWASP Secure Headers Project). The policy is for API responses; pages set their own. */
function securityHeaders(appUrl: string): Headers {
  return {
    'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    ...(appUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
