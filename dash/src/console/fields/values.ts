import type { Json } from '../filter/filter-tree.js';

/** Typed text that is not a valid value. It stays in the input and is not saved. */
export class InvalidInput {
  constructor(
    readonly text: string,
    readonly fault: 'number' | 'whole' | 'json' | 'time' | 'base64',
  ) {}
}

/** Returns the text. Empty input of an optional field is null. */
export function readText(text: string, optional: boolean): string | null {
  return text === '' && optional ? null : text;
}

/** Returns an integer. One beyond the safe range of JSON numbers is a string, which the service accepts. */
export function readInteger(text: string): number | string | null | InvalidInput {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^[+-]?\d{1,20}$/.test(typed)) return new InvalidInput(text, 'whole');
  const value = Number(typed);
  return Number.isSafeInteger(value) ? value : String(BigInt(typed));
}

/** Accepts a decimal point or comma. */
export function readNumber(text: string): number | null | InvalidInput {
  const typed = text.trim().replace(',', '.');
  if (typed === '') return null;
  const value = Number(typed);
  return Number.isFinite(value) && /^[+-]?[\d.]/.test(typed) ? value : new InvalidInput(text, 'number');
}

/** Empty input is null. */
export function readJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new InvalidInput(text, 'json');
  }
}

export function readBytes(text: string): string | null | InvalidInput {
  const typed = text.replaceAll(/\s/g, '');
  if (typed === '') return null;
  const isValid = typed.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(typed);
  return isValid ? typed : new InvalidInput(text, 'base64');
}

/** Converts the value of a `datetime-local` input from the user's time zone to an ISO timestamp. */
export function readLocalTime(text: string): string | null | InvalidInput {
  if (text === '') return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? new InvalidInput(text, 'time') : time.toISOString();
}

/** Converts a timestamp to the value of a `datetime-local` input. Zero seconds and milliseconds are omitted. */
export function localTime(value: unknown): string {
  const time = typeof value === 'string' ? new Date(value) : null;
  if (time === null || Number.isNaN(time.getTime())) return '';
  const two = (part: number, length = 2): string => String(part).padStart(length, '0');
  const date = `${two(time.getFullYear(), 4)}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const [seconds, ms] = [time.getSeconds(), time.getMilliseconds()];
  const rest = ms > 0 ? `:${two(seconds)}.${two(ms, 3)}` : seconds > 0 ? `:${two(seconds)}` : '';
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}${rest}`;
}

export function typed(value: unknown): string {
  if (value instanceof InvalidInput) return value.text;
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export function bytesIn(base64: string): number {
  return Math.floor((base64.replaceAll('=', '').length * 3) / 4);
}

export function filterValue(value: unknown): Json | undefined {
  return value instanceof InvalidInput || value === null ? undefined : (value as Json);
}
