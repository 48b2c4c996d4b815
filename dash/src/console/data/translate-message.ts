const VALUE = /\{(\w+)\}/g;

/** Translates a message by matching it against the English texts and filling in its values. Unknown messages stay unchanged. */
export function translateMessage(
  message: string,
  english: Readonly<Record<string, string>>,
  translations: Readonly<Record<string, string>>,
): string {
  for (const [key, text] of Object.entries(english)) {
    const values = valuesIn(message, text);
    if (values !== null) return fillPlaceholders(translations[key] ?? text, values);
  }
  return message;
}

/** Returns the placeholder values of a message; null if it does not match the text. */
export function valuesIn(message: string, text: string): Record<string, string> | null {
  const parts = text.split(VALUE).map((part, index) => (index % 2 === 0 ? escaped(part) : `(?<${part}>.*?)`));
  const match = new RegExp(`^${parts.join('')}$`, 's').exec(message);
  return match === null ? null : { ...match.groups };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VALUE, (placeholder, name: string) => values[name] ?? placeholder);
