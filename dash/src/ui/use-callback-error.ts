import { FACTOR_MISSING } from '../api/api-error.js';
import { callbackMessage } from '../api/error-messages.js';
import { useCallbackParameter } from './use-callback-parameter.js';
import { useTexts } from '../texts/texts.js';

export interface CallbackError {
  code: string;
  text: string;
}

/** Returns the text for `#error=` in the URL. Unknown codes are never displayed. */
export function useCallbackError(): CallbackError | null {
  const { otherErrors } = useTexts();
  const code = useCallbackParameter('error');
  // These codes are not errors: the page asks for a second factor.
  if (code === null || code === 'mfa_required' || code === FACTOR_MISSING) return null;
  // Only redirects use this text. Forms show the message of the service.
  return { code, text: code === 'registration_rejected' ? otherErrors.registrationRejected : callbackMessage(code) };
}
