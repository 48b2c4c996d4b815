import type { JsonObject } from '../schema-definition.types.js';

/** Returns whether a value is a JSON object, so not a list or `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns the members of a JSON object; none for any other value. A text or a list that is taken for an object has one member for
 * each character or item: a body has a million.
 */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
