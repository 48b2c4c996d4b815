import { ERROR_SENTENCES, SIGN_IN_FAILED } from '../../api/error-sentences.js';
import { useArrival } from '../../ui/use-arrival.js';

/** The `#error=` of the address in words; what the table does not know is never shown. */
export function useArrivalError(): string | null {
  const code = useArrival('error');
  if (code === null) return null;
  return Object.hasOwn(ERROR_SENTENCES, code) ? (ERROR_SENTENCES[code]?.text ?? SIGN_IN_FAILED) : SIGN_IN_FAILED;
}
