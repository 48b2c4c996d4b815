import { ApiError } from '../../api/api-error.js';
import { recordFaults as SAID } from '../../texts/en/record-faults.js';
import { reworded } from './reworded.js';

type Words = Readonly<Record<string, string>>;

/** Translates a validation message of the service. Unknown messages stay unchanged. */
export const faultInWords = (message: string, words: Words): string => reworded(message, SAID, words);

/** Attributes the faults of nested parts to their top-level field, and translates them. The message names the part. */
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

/** Joins the faults of an error to one text, each with the label of its field; null if there are none. */
export function fieldsInWords(error: unknown, labels: Words, words: Words): string | null {
  if (!(error instanceof ApiError) || error.fields.length === 0) return null;
  return error.fields
    .map(({ field, message }) => `${labels[field] ?? field}: ${faultInWords(message, words)}.`)
    .join(' ');
}
