/** A place for a value in a text. */
const VALUE = /\{(\w+)\}/g;

/** Returns what is said in other words of the same keys, with the values that stand in it. What is not known stays as it is. */
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

/** Reads what stands at the places of a text; null if it is another text. */
export function valuesIn(said: string, text: string): Record<string, string> | null {
  const parts = text.split(VALUE).map((part, at) => (at % 2 === 0 ? escaped(part) : `(?<${part}>.*?)`));
  const found = new RegExp(`^${parts.join('')}$`, 's').exec(said);
  return found === null ? null : { ...found.groups };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Puts values at the places of a text. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VALUE, (place, name: string) => values[name] ?? place);
