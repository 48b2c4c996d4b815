import { ApiError } from './api-error.js';
import { errorMessage, fieldMessage, type ErrorMessage } from './error-messages.js';
import { texts } from '../texts/texts.js';

export interface Explanation {
  /** Message for the whole form; null if inputs show all parts of the error. */
  problem: string | null;
  fields: Record<string, string>;
}

/** Texts of a page that replace the default ones, by error code. */
export type ErrorMessages = Readonly<Record<string, ErrorMessage>>;

/** Translates an error and assigns its parts to the inputs of the form. */
export function explain(error: unknown, inputs: readonly string[] = [], messages: ErrorMessages = {}): Explanation {
  const fault = error instanceof ApiError ? error : new ApiError({ status: 0, code: 'unreadable', message: '' });
  const fields = fieldMessages(fault, inputs);
  if (Object.keys(fields).length > 0) return { problem: null, fields };
  const message = messages[fault.code] ?? errorMessage(fault.code);
  const input = message?.fields?.find((name) => inputs.includes(name));
  if (message && input) return { problem: null, fields: { [input]: message.text } };
  return { problem: fullMessage(fault, message, !Object.hasOwn(messages, fault.code)), fields: {} };
}

export function explainAsText(error: unknown, messages?: ErrorMessages): string {
  return explain(error, [], messages).problem ?? '';
}

function fieldMessages(fault: ApiError, inputs: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const { field, code, message } of fault.fields) {
    if (inputs.includes(field))
      fields[field] ??= fieldMessage(code) ?? (toSentence(message) || texts().otherErrors.fieldInvalid);
  }
  return fields;
}

/** @param isNamed whether the message names the fields of the error. The texts of a page do not need it. */
function fullMessage(fault: ApiError, message: ErrorMessage | undefined, isNamed: boolean): string {
  const { otherErrors } = texts();
  if (fault.code === 'rate_limited' && fault.retryAfterSeconds) {
    return otherErrors.waitFor(formatDuration(fault.retryAfterSeconds));
  }
  const loose = fault.fields.map(({ message }) => toSentence(message)).join(' ');
  const isLoose = loose !== '' && fault.code === 'validation_failed';
  const content = (isLoose ? loose : message?.text) || toSentence(fault.message) || otherErrors.failed;
  const names = isLoose || !isNamed ? [] : [...new Set(fault.fields.map(({ field }) => field))];
  const text = names.length > 0 ? otherErrors.named(content, names.join(', ')) : content;
  return fault.requestId ? otherErrors.reference(text, fault.requestId) : text;
}

function toSentence(message: string): string {
  const text = message.trim();
  if (text === '') return '';
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Formats a duration: "40 seconds", "5 minutes". */
export function formatDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return lengthOf(seconds, 'second');
  return minutes < 90 ? lengthOf(minutes, 'minute') : lengthOf(Math.round(minutes / 60), 'hour');
}

function lengthOf(count: number, unit: string): string {
  return new Intl.NumberFormat(texts().locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
