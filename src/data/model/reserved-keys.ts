import type { LinkedField, LinkedSchema, LinkedValueField } from './schema-model.types.js';
import { fieldType } from './field-types.js';

/** Segments of the content routes at the place of a key (`GET /api/content/{schema}/export`); a test compares them with the routes. */
export const CONTENT_SEGMENTS: readonly string[] = ['aggregate', 'export', 'import'];

/** Keys for which no address can be written: clients resolve `.` and `..` before they send a request. */
export const RESERVED_KEYS: readonly string[] = ['', '.', '..', ...CONTENT_SEGMENTS];

const RESERVED = new Set(RESERVED_KEYS);

/** Returns whether a value would be a text key that no address leads to. */
export function isReservedKey(value: unknown, field: LinkedValueField, schema: LinkedSchema): boolean {
  return typeof value === 'string' && field.name === schema.primaryField && isTextKey(field) && isUnreachable(value);
}

/** Returns whether a field is the text key of its schema. */
export function isTextKey(field: LinkedField | undefined): field is LinkedValueField {
  return field?.kind === 'value' && fieldType(field.type).family === 'string';
}

function isUnreachable(key: string): boolean {
  return RESERVED.has(key) || /\p{Cc}/u.test(key);
}
