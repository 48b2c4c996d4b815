import { ApiError } from '../../api/api-error.js';
import { recordFaults as SAID } from '../../texts/en/record-faults.js';
import { reworded } from './reworded.js';

type Words = Readonly<Record<string, string>>;

/** Returns what the service says of a value that does not fit, in the words of a language. What is not known stays as it is. */
export const faultInWords = (message: string, words: Words): string => reworded(message, SAID, words);

/**
 * Moves the faults of parts of a field to the field. A fault of a part of a field is told at the field, with the part; all of them in
 * the words of a language.
 */
export function topLevel(error: unknown, words: Words): unknown {
  if (!(error instanceof ApiError)) return error;
  const fields = error.fields.map((one) => {
    const [, field = one.field, part = ''] = /^([^.[]+)(.*)$/.exec(one.field) ?? [];
    const message = faultInWords(one.message, words);
    return { ...one, field, message: part === '' ? message : `${part.replace(/^\./, '')}: ${message}` };
  });
  const { status, code, message, retryAfterSeconds, requestId } = error;
  return new ApiError({ status, code, message, retryAfterSeconds, requestId, fields });
}

/** Returns the faults of an error, each with the name of its field, in one sentence; null if it has none. */
export function fieldsInWords(error: unknown, labels: Words, words: Words): string | null {
  if (!(error instanceof ApiError) || error.fields.length === 0) return null;
  return error.fields
    .map(({ field, message }) => `${labels[field] ?? field}: ${faultInWords(message, words)}.`)
    .join(' ');
}
