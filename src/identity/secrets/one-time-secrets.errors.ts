import type { DocumentedError } from '../../platform/http/output/documentation.decorators.js';

/** Errors of routes that take a mailed token: a bad request, not a failed authentication (CONTRACT §3). */
export const MAILED_TOKEN_ERRORS: readonly DocumentedError[] = [
  { code: 'token_invalid', status: 400 },
  { code: 'token_expired', status: 400 },
];
