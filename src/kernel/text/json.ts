import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../schema-definition.types.js';

type Reviver = (key: string, value: unknown) => unknown;

/** Literals of rounded JSON numbers, by object and member: numbers that have no exact JavaScript value. */
const WRITTEN = new WeakMap<object, Map<string, string>>();
/** Sixteen digits, or an exponent. Other numbers are exact, because IEEE 754 doubles have 15 digits. */
const MAY_BE_ROUNDED = /[\d.]{16}|\d[eE][+-]?\d/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const PARTS = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses JSON like `JSON.parse`, and records the numbers that were rounded: see {@link hasRounded}. */
export function parseJson(text: string, revive?: Reviver): unknown {
  const value: unknown = JSON.parse(text, revive);
  if (!MAY_BE_ROUNDED.test(text)) return value;
  const mark = randomUUID();
  const marked = replaceRounded(text, mark);
  if (marked === text) return value;
  return JSON.parse(marked, function (this: object, key: string, entry: unknown) {
    if (typeof entry !== 'string' || !entry.startsWith(mark)) return revive ? revive(key, entry) : entry;
    const literal = entry.slice(mark.length);
    const members = WRITTEN.get(this) ?? new Map<string, string>();
    WRITTEN.set(this, members.set(key, literal));
    return Number(literal);
  });
}

/** Serializes JSON of {@link parseJson}. Rounded numbers that were not changed are written as in the original. */
export function stringifyJson(value: unknown): string {
  if (!hasAnyRounded(value)) return JSON.stringify(value);
  const mark = randomUUID();
  const text = JSON.stringify(value, function (this: object, key: string, entry: unknown) {
    const literal = WRITTEN.get(this)?.get(key);
    return literal !== undefined && Number(literal) === entry ? `${mark}${literal}` : entry;
  });
  return text.includes(mark) ? text.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1') : text;
}

/** Returns whether the member of an object contains a number that was rounded when it was parsed, at any depth. */
export function hasRounded(object: object, name: string): boolean {
  if (WRITTEN.get(object)?.has(name) === true) return true;
  return hasAnyRounded((object as Readonly<Record<string, unknown>>)[name]);
}

export function hasAnyRounded(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (WRITTEN.has(value)) return true;
  if (Array.isArray(value)) return value.some(hasAnyRounded);
  for (const key in value) if (hasAnyRounded((value as Readonly<Record<string, unknown>>)[key])) return true;
  return false;
}

export function copyRounded<T extends object>(from: object, to: T): T {
  const members = WRITTEN.get(from);
  if (members !== undefined) WRITTEN.set(to, members);
  return to;
}

/** Replaces each number of well-formed JSON that would be rounded by a marked text. */
function replaceRounded(text: string, mark: string): string {
  let result = '';
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') at = endOfText(text, at);
    if (character !== '-' && !(character >= '0' && character <= '9')) continue;
    NUMBER.lastIndex = at;
    const literal = NUMBER.exec(text)?.[0] ?? character;
    if (isRounded(literal)) {
      result += `${text.slice(copied, at)}"${mark}${literal}"`;
      copied = at + literal.length;
    }
    at += literal.length - 1;
  }
  return result + text.slice(copied);
}

function endOfText(json: string, start: number): number {
  TEXT.lastIndex = start;
  return TEXT.test(json) ? TEXT.lastIndex - 1 : json.length;
}

function isRounded(literal: string): boolean {
  if (!MAY_BE_ROUNDED.test(literal)) return false;
  const number = Number(literal);
  return Number.isFinite(number) && decimal(literal) !== decimal(String(number));
}

/** Returns the significant digits, and the power of ten of the last one, so that equal numbers give equal texts. */
function decimal(literal: string): string {
  const [, integer = '', fraction = '', exponent = '0'] = PARTS.exec(literal) ?? [];
  const digits = integer + fraction;
  let first = 0;
  let end = digits.length;
  while (first < end && digits[first] === '0') first += 1;
  while (end > first && digits[end - 1] === '0') end -= 1;
  if (first === end) return '0';
  return `${digits.slice(first, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns no members for a text or a list. `Object.entries` would return one per character or item, possibly a million. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
