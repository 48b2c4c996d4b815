import { ApiError } from '../../api/api-error.js';
import { recordFaults as ENGLISH } from '../../texts/en/record-faults.js';
import { translateMessage } from './translate-message.js';

type Translations = Readonly<Record<string, string>>;

/** Translates a validation message of the service. Unknown messages stay unchanged. */
export const translateFault = (message: string, translations: Translations): string =>
  translateMessage(message, ENGLISH, translations);

/** Attributes the faults of nested parts to their top-level field, and translates them. The message names the part. */
export function toTopLevelFields(error: unknown, translations: Translations): unknown {
  if (!(error instanceof ApiError)) return error;
  const fields = error.fields.map((item) => {
    const [, field = item.field, part = ''] = /^([^.[]+)(.*)$/.exec(item.field) ?? [];
    const message = translateFault(item.message, translations);
    return { ...item, field, message: part === '' ? message : `${part.replace(/^\./, '')}: ${message}` };
  });
  const { status, code, message, retryAfterSeconds, requestId } = error;
  return new ApiError({ status, code, message, retryAfterSeconds, requestId, fields });
}

/** Joins the faults of an error to one text, each with the label of its field; null if there are none. */
export function describeFields(error: unknown, labels: Translations, translations: Translations): string | null {
  if (!(error instanceof ApiError) || error.fields.length === 0) return null;
  return error.fields
    .map(({ field, message }) => `${labels[field] ?? field}: ${translateFault(message, translations)}.`)
    .join(' ');
}
