import { type ErrorCode, errorRow } from '../../../kernel/errors/error-catalogue.js';
import type { DocumentedError } from '../../../platform/http/output/documentation.decorators.js';
import { schemaRef, type Json } from './references.js';

const ALWAYS: readonly ErrorCode[] = [
  'request_malformed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'server_busy',
  'database_unavailable',
  'shutting_down',
];
const OF_BODIES: readonly ErrorCode[] = [
  'body_malformed',
  'body_too_deep',
  'body_too_large',
  'content_type_unsupported',
  'content_encoding_unsupported',
];
const OF_TOKENS: readonly ErrorCode[] = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'key_invalid',
  'key_expired',
  'key_address_refused',
  'permission_denied',
];

export interface FailureTraits {
  readonly public: boolean;
  /** Whether only signed-in users can call it. */
  readonly closedToKeys: boolean;
  /** Whether it changes data, so that a cookie alone is not sufficient. */
  readonly writes: boolean;
  readonly hasBody: boolean;
  /** Whether the fields of the body are declared. They are then validated before anything else. */
  readonly hasFields: boolean;
  readonly limited: boolean;
}

export function sharedErrors(traits: FailureTraits): readonly ErrorCode[] {
  return [
    ...ALWAYS,
    ...(traits.hasBody ? OF_BODIES : []),
    ...(traits.hasFields ? (['validation_failed'] as const) : []),
    ...(traits.public ? [] : OF_TOKENS),
    ...(traits.closedToKeys ? (['key_not_allowed'] as const) : []),
    ...(!traits.public && traits.writes ? (['cross_site_request'] as const) : []),
    ...(traits.limited ? (['rate_limited'] as const) : []),
  ];
}

/** Collects the error responses of a document. Each set of codes is written once and referenced. */
export class Failures {
  private readonly names = new Map<string, string>();
  private readonly answers: Record<string, Json> = {};
  private readonly messages = new Map<ErrorCode, string>();

  of(errors: readonly DocumentedError[]): Readonly<Record<string, Json>> {
    const byStatus = new Map<number, Set<ErrorCode>>();
    for (const error of errors) {
      const { code, status, message } =
        typeof error === 'string' ? { code: error, ...errorRow(error) } : { ...errorRow(error.code), ...error };
      this.messages.set(code, message);
      byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
    }
    const statuses = [...byStatus].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      statuses.map(([status, codes]) => [String(status), this.reference(status, [...codes].sort())]),
    );
  }

  components(): Readonly<Record<string, Json>> {
    return this.answers;
  }

  private reference(status: number, codes: readonly ErrorCode[]): Json {
    const key = `${status} ${codes.join(' ')}`;
    const name = this.names.get(key) ?? this.add(key, status, codes);
    return { $ref: `#/components/responses/${name}` };
  }

  private add(key: string, status: number, codes: readonly ErrorCode[]): string {
    const similar = [...this.names.values()].filter((name) => name.startsWith(`Failure${status}`)).length;
    const name = `Failure${status}${similar === 0 ? '' : `_${similar + 1}`}`;
    this.names.set(key, name);
    this.answers[name] = failure(status, codes, this.messages);
    return name;
  }
}

function failure(status: number, codes: readonly ErrorCode[], messages: ReadonlyMap<ErrorCode, string>): Json {
  const retryAfter = {
    'Retry-After': { description: 'Seconds until the next attempt is allowed.', schema: { type: 'integer' } },
  };
  const narrowed = {
    type: 'object',
    properties: {
      code: { const: String(status) },
      data: { type: 'object', properties: { error: { enum: codes } } },
    },
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${messages.get(code) ?? ''}`).join('\n\n'),
    ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
    content: { 'application/json': { schema: { allOf: [schemaRef('Error'), narrowed] } } },
  };
}
