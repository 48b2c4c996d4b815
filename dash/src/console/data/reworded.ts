const VALUE = /\{(\w+)\}/g;

/** Translates a message by matching it against the English texts and filling in its values. Unknown messages stay unchanged. */
export function reworded(
  said: string,
  english: Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>>,
): string {
  for (const [key, text] of Object.entries(english)) {
    const values = valuesIn(said, text);
    if (values !== null) return filled(words[key] ?? text, values);
  }
  return said;
}

/** Returns the placeholder values of a message; null if it does not match the text. */
export function valuesIn(said: string, text: string): Record<string, string> | null {
  const parts = text.split(VALUE).map((part, at) => (at % 2 === 0 ? escaped(part) : `(?<${part}>.*?)`));
  const found = new RegExp(`^${parts.join('')}$`, 's').exec(said);
  return found === null ? null : { ...found.groups };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VALUE, (place, name: string) => values[name] ?? place);
