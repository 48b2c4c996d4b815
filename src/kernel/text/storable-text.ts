/** Returns whether PostgreSQL can store a text: it has no NUL and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Returns a text with replacement characters (U+FFFD) for what PostgreSQL cannot store, for reports about such text. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Returns whether PostgreSQL can store all text in a JSON value, names of members included. The depth of JSON is bounded when it is read. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorableJson);
  return Object.keys(value).every((name) => isStorable(name) && isStorableJson(value[name as keyof typeof value]));
}
