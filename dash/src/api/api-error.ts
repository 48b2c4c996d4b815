import type { FieldFault } from './openapi.js';

/** The error value of a sign-in whose account has to get a second factor first. */
export const FACTOR_MISSING = 'mfa_enrollment_required';

/** A sign-in that waits for a second factor. */
export interface DueFactor {
  /** By which the factor is proven. */
  token: string;
  /** The kinds that the account has, by their names in the API; those that can be added if one has to be. */
  methods: string[];
  /** Whether a role demands one, and the account has none yet. */
  isMissing: boolean;
}

/** Answer of the service, or of the way to it, instead of success. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** `data.error` of the envelope; `unreachable` when no answer came, `unreadable` when it was not one of ours. */
  readonly code: string;
  readonly fields: FieldFault[];
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | null;
  /** Of an internal error, as it stands in the service's log. */
  readonly requestId: string | null;
  /** Operation of a batch that was refused. */
  readonly operation: number | null;
  /** Of a sign-in that is right so far. */
  readonly factor: DueFactor | null;
  /** All of `data` of the envelope, as it came. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(init: Pick<ApiError, 'status' | 'code' | 'message'> & Partial<ApiError>) {
    super(init.message);
    this.name = 'ApiError';
    this.status = init.status;
    this.code = init.code;
    this.fields = init.fields ?? [];
    this.retryAfterSeconds = init.retryAfterSeconds ?? null;
    this.requestId = init.requestId ?? null;
    this.operation = init.operation ?? null;
    this.factor = init.factor ?? null;
    this.data = init.data ?? {};
  }
}

/** Returns whether the service said that a link's or code's token is not good any more. */
export function isSpent(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'token_invalid' || error.code === 'token_expired');
}

/** Reads the envelope `{code, message, data: {error, errors, request_id}}` without trusting its shape. */
export function toApiError(response: Response, body: unknown): ApiError {
  const envelope = asRecord(body);
  const data = asRecord(envelope['data']);
  const retryAfter = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return new ApiError({
    status: response.status,
    code: asText(data['error']) ?? 'unreadable',
    message: asText(envelope['message']) ?? '',
    fields: Array.isArray(data['errors']) ? data['errors'].flatMap(toFieldFault) : [],
    retryAfterSeconds: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null,
    requestId: asText(data['request_id']),
    operation: typeof data['operation'] === 'number' ? data['operation'] : null,
    factor: toDueFactor(data),
    data,
  });
}

function toDueFactor({ error, mfa_token, methods }: Record<string, unknown>): DueFactor | null {
  const token = asText(mfa_token);
  if (token === null) return null;
  const names = Array.isArray(methods) ? methods.flatMap((name) => asText(name) ?? []) : [];
  return { token, methods: names, isMissing: error === FACTOR_MISSING };
}

function toFieldFault(entry: unknown): FieldFault[] {
  const { field, code, message } = asRecord(entry);
  const name = asText(field);
  return name ? [{ field: name, code: asText(code) ?? '', message: asText(message) ?? '' }] : [];
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
