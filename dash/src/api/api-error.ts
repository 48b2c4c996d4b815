import type { FieldFault } from './openapi.js';

/** Error code of a sign-in whose account must first add a second factor. */
export const FACTOR_MISSING = 'mfa_enrollment_required';

export interface DueFactor {
  token: string;
  /** Factor types of the account, as named in the API. If `isMissing`, the types that can be added. */
  methods: string[];
  /** Whether a role requires a second factor and the account has none. */
  isMissing: boolean;
}

/** Error response of the service, or a network error. */
export class ApiError extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** `data.error` of the envelope; `unreachable` without a response, `unreadable` if the response is not an envelope. */
  readonly code: string;
  readonly fields: FieldFault[];
  readonly retryAfterSeconds: number | null;
  /** Request id of an internal error, as in the log of the service. */
  readonly requestId: string | null;
  /** Index of the rejected operation of a batch. */
  readonly operation: number | null;
  /** Set if the sign-in only lacks its second factor. */
  readonly factor: DueFactor | null;
  /** `data` of the envelope, unchanged. */
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

export function isTokenUsedUp(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'token_invalid' || error.code === 'token_expired');
}

/** Reads the envelope `{code, message, data: {error, errors, request_id}}` and validates its shape. */
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
