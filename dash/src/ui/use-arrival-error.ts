import { ERROR_SENTENCES, SIGN_IN_FAILED } from '../api/error-sentences.js';
import { useArrival } from './use-arrival.js';

/** Why the browser was sent back here. */
export interface ArrivalError {
  code: string;
  text: string;
}

/** Said here only: a form shows the service's own words. */
const REJECTED = { text: 'You cannot register here. Ask an administrator.' };

/** The `#error=` of the address in words; what the table does not know is never shown. */
export function useArrivalError(): ArrivalError | null {
  const code = useArrival('error');
  if (code === null) return null;
  if (code === 'registration_rejected') return { code, ...REJECTED };
  const known = Object.hasOwn(ERROR_SENTENCES, code) ? ERROR_SENTENCES[code] : undefined;
  return { code, text: known?.text ?? SIGN_IN_FAILED };
}
