import type { DocumentedError } from '../../platform/http/output/documentation.decorators.js';

/** Errors of routes that take a mailed token. They use status 400, not 401. */
export const MAILED_TOKEN_ERRORS: readonly DocumentedError[] = [
  { code: 'token_invalid', status: 400 },
  { code: 'token_expired', status: 400 },
];
