import type { JsonObject } from '../schema-definition.types.js';

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns no members for a text or a list. `Object.entries` would return one per character or item, possibly a million. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
