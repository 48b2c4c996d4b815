export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Replaces characters that PostgreSQL cannot store by U+FFFD, for reports about such text. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Returns whether PostgreSQL can store all text in a JSON value, including member names. The parser has already limited the depth. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorableJson);
  return Object.keys(value).every((name) => isStorable(name) && isStorableJson(value[name as keyof typeof value]));
}
