import { FACTOR_MISSING } from '../api/api-error.js';
import { callbackSentence } from '../api/error-sentences.js';
import { useCallbackParameter } from './use-callback-parameter.js';
import { useTexts } from '../texts/texts.js';

/** Error for which the browser was sent back here. */
export interface CallbackError {
  code: string;
  text: string;
}

/** Returns the `#error=` of the address in words; what the table does not know is never shown. */
export function useCallbackError(): CallbackError | null {
  const { otherErrors } = useTexts();
  const code = useCallbackParameter('error');
  // Whoever is asked for a second factor needs no other word of it.
  if (code === null || code === 'mfa_required' || code === FACTOR_MISSING) return null;
  // Said here only: a form shows the service's own words.
  return { code, text: code === 'registration_rejected' ? otherErrors.registrationRejected : callbackSentence(code) };
}
