import { AppError } from '../../../kernel/errors/app-error.js';
import { providerFailed, providerUnavailable } from './provider-failure.js';
import type { AuthorizationAnswer } from './provider.types.js';

/** Error codes of a temporary failure (RFC 6749 §4.1.2.1). */
const OUT_OF_ORDER = new Set(['server_error', 'temporarily_unavailable']);

/**
 * @throws AppError `provider_denied` if the provider or the user refused; `provider_unavailable`; `provider_failed` if there is neither a
 * code nor an error.
 */
export function grantedCode({ code, error }: AuthorizationAnswer): string {
  if (error !== undefined) {
    throw OUT_OF_ORDER.has(error) ? providerUnavailable('out of order') : new AppError('provider_denied');
  }
  if (code === undefined || code === '') throw providerFailed('neither a code nor an error was sent');
  return code;
}
