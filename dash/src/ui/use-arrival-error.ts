import { FACTOR_MISSING } from '../api/api-error.js';
import { arrivalSentence } from '../api/error-sentences.js';
import { useArrival } from './use-arrival.js';
import { useTexts } from '../texts/texts.js';

/** Error for which the browser was sent back here. */
export interface ArrivalError {
  code: string;
  text: string;
}

/** Returns the `#error=` of the address in words; what the table does not know is never shown. */
export function useArrivalError(): ArrivalError | null {
  const { otherErrors } = useTexts();
  const code = useArrival('error');
  // Whoever is asked for a second factor needs no other word of it.
  if (code === null || code === 'mfa_required' || code === FACTOR_MISSING) return null;
  // Said here only: a form shows the service's own words.
  return { code, text: code === 'registration_rejected' ? otherErrors.registrationRejected : arrivalSentence(code) };
}
