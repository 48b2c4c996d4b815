import { ApiError } from './api-error.js';
import { ERROR_SENTENCES, FIELD_SENTENCES, type Sentence } from './error-sentences.js';

/** An error as a form shows it. */
export interface Explanation {
  /** For the form as a whole; null when every part of the error has its input. */
  problem: string | null;
  /** Sentence by input name. */
  fields: Record<string, string>;
}

/** Where one page must say it differently from the table. */
export type Wording = Readonly<Record<string, Sentence>>;

/** Puts an error into words, and its parts to the inputs that the form has. */
export function explain(error: unknown, inputs: readonly string[] = [], wording: Wording = {}): Explanation {
  const fault = error instanceof ApiError ? error : new ApiError({ status: 0, code: 'unreadable', message: '' });
  const fields = fieldSentences(fault, inputs);
  if (Object.keys(fields).length > 0) return { problem: null, fields };
  const sentence = wording[fault.code] ?? ERROR_SENTENCES[fault.code];
  const input = sentence?.fields?.find((name) => inputs.includes(name));
  if (sentence && input) return { problem: null, fields: { [input]: sentence.text } };
  return { problem: wholeSentence(fault, sentence), fields: {} };
}

/** The sentence alone, for places without a form. */
export function explainInWords(error: unknown, wording?: Wording): string {
  return explain(error, [], wording).problem ?? '';
}

function fieldSentences(fault: ApiError, inputs: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { field, code, message } of fault.fields) {
    if (inputs.includes(field))
      fields[field] ??= FIELD_SENTENCES[code] ?? (asSentence(message) || 'This is not valid.');
  }
  return fields;
}

function wholeSentence(fault: ApiError, sentence: Sentence | undefined): string {
  if (fault.code === 'rate_limited' && fault.retryAfterSeconds) {
    return `Too many attempts. Wait ${inWords(fault.retryAfterSeconds)} and try again.`;
  }
  const loose = fault.fields.map(({ message }) => asSentence(message)).join(' ');
  const text =
    (loose && fault.code === 'validation_failed' ? loose : sentence?.text) ||
    asSentence(fault.message) ||
    'This did not work. Try again in a moment.';
  return fault.requestId ? `${text} (Reference: ${fault.requestId})` : text;
}

function asSentence(message: string): string {
  const text = message.trim();
  if (text === '') return '';
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** A length of time in words: "40 seconds", "5 minutes". */
export function inWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
