import { AppError } from '../../../kernel/errors/app-error.js';
import { parseJson } from '../../../kernel/text/json.js';
import { defineLimit } from '../../../kernel/limits.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
/** Levels of objects and lists in a JSON body, including values of `json` fields (docs/guides/data/writing-records.md, "Limits"). */
export const MAX_JSON_DEPTH = defineLimit(
  40,
  'Requests',
  'levels of nested objects and lists in a JSON body',
  'body_too_deep',
);

const MAX_FIELDS = defineLimit(50, 'Requests', 'fields of a form', 'body_malformed');

const TOO_DEEP = `The body has more than ${MAX_JSON_DEPTH} levels of objects and lists.`;

/** The name, or an escape that can encode one of its characters (RFC 8259 §7). */
const MAY_NAME_PROTOTYPE = /__proto__|\\u/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Parses a JSON body: strict UTF-8, limited depth, no `__proto__` members. An empty body is parsed as an empty
 * object, so that each missing field is reported.
 *
 * @throws AppError `body_malformed` or `body_too_deep`.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  if (hasManyBrackets(body) && depthOf(body) > MAX_JSON_DEPTH)
    throw new AppError('body_too_deep', { message: TOO_DEEP });
  try {
    const text = UTF8.decode(body);
    return MAY_NAME_PROTOTYPE.test(text) ? parseJson(text, refusePrototypes) : parseJson(text);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('body_malformed');
  }
}

/** Cheap first check: returns whether the body has enough opening brackets to exceed the depth. Most bodies do not. */
function hasManyBrackets(body: Buffer): boolean {
  let count = 0;
  for (const bracket of OPENING)
    for (let at = body.indexOf(bracket); at !== -1; at = body.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > MAX_JSON_DEPTH) return true;
    }
  return false;
}

/** Returns the deepest nesting of brackets outside of strings. It scans the bytes before the body is parsed. */
function depthOf(body: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPENING.has(byte)) deepest = Math.max(deepest, (depth += 1));
    else if (CLOSING.has(byte)) depth -= 1;
  }
  return deepest;
}

function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__')
    throw new AppError('body_malformed', { message: 'The body has a member that is not allowed.' });
  return value;
}

/** @throws AppError `body_malformed`, also for a duplicate name. */
export function parseFormBody(body: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  const entries = [...new URLSearchParams(decode(body))];
  if (entries.length > MAX_FIELDS) throw new AppError('body_malformed', { message: 'The form has too many fields.' });
  for (const [name, value] of entries) {
    if (name in fields || name === '__proto__')
      throw new AppError('body_malformed', { message: 'The form contains a field twice.' });
    fields[name] = value;
  }
  return { ...fields };
}

function decode(body: Buffer): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new AppError('body_malformed', { message: 'The form is not well-formed.' });
  }
}
