import type { Json } from '../filter/filter-tree.js';

/** Text that was typed and is no value of the field: it stays in the input, and is not sent. */
export class InvalidInput {
  constructor(
    readonly text: string,
    readonly fault: 'number' | 'whole' | 'json' | 'time' | 'base64',
  ) {}
}

/** Returns text, where nothing typed means no value of a field that may be empty. */
export function readText(text: string, optional: boolean): string | null {
  return text === '' && optional ? null : text;
}

/** Returns a whole number; one that JSON does not carry exactly is text, as the service takes it. */
export function readWhole(text: string): number | string | null | InvalidInput {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^[+-]?\d{1,20}$/.test(typed)) return new InvalidInput(text, 'whole');
  const value = Number(typed);
  return Number.isSafeInteger(value) ? value : String(BigInt(typed));
}

/** Returns any number, by point or comma. */
export function readNumber(text: string): number | null | InvalidInput {
  const typed = text.trim().replace(',', '.');
  if (typed === '') return null;
  const value = Number(typed);
  return Number.isFinite(value) && /^[+-]?[\d.]/.test(typed) ? value : new InvalidInput(text, 'number');
}

/** Returns JSON; nothing typed is no value. */
export function readJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new InvalidInput(text, 'json');
  }
}

/** Returns bytes as base64. */
export function readBytes(text: string): string | null | InvalidInput {
  const typed = text.replaceAll(/\s/g, '');
  if (typed === '') return null;
  const isRight = typed.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(typed);
  return isRight ? typed : new InvalidInput(text, 'base64');
}

/** Returns a time of a `datetime-local` input, which is in the reader's own zone, as the service has it. */
export function readLocalTime(text: string): string | null | InvalidInput {
  if (text === '') return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? new InvalidInput(text, 'time') : time.toISOString();
}

/** Returns the other way round; the parts that are nothing are left out. */
export function localTime(value: unknown): string {
  const time = typeof value === 'string' ? new Date(value) : null;
  if (time === null || Number.isNaN(time.getTime())) return '';
  const two = (part: number, length = 2): string => String(part).padStart(length, '0');
  const date = `${two(time.getFullYear(), 4)}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const [seconds, ms] = [time.getSeconds(), time.getMilliseconds()];
  const rest = ms > 0 ? `:${two(seconds)}.${two(ms, 3)}` : seconds > 0 ? `:${two(seconds)}` : '';
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}${rest}`;
}

/** Returns what stands in an input for a value. */
export function typed(value: unknown): string {
  if (value instanceof InvalidInput) return value.text;
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Returns the bytes that base64 stands for, by its length. */
export function bytesIn(base64: string): number {
  return Math.floor((base64.replaceAll('=', '').length * 3) / 4);
}

/** Reads what was typed into a filter: undefined for what no value of the type is. */
export function filterValue(value: unknown): Json | undefined {
  return value instanceof InvalidInput || value === null ? undefined : (value as Json);
}
