/** The value that is written, in expr-lang; a call that leads to a value of the same type as text. */
const VALUE = String.raw`\$args\.Value`;
const CALL = new RegExp(String.raw`^(lower|upper|trim)\(\s*(.+)\s*\)$`);
/** A function after a pipe: `$args.Value | lower()`. */
const PIPE = /^(.+?)\s*\|\s*(lower|upper|trim)\(\s*\)$/;
const GUARDED = new RegExp(
  String.raw`^\$args\.Exist(?:\s*&&\s*${VALUE}\s*!=\s*(?:''|""|nil))?\s*\?\s*(.+?)\s*:\s*\$undefined$`,
);

/**
 * Translates an expression of FastSchema (expr-lang) into CEL where it is of a known form: the value, in lower or upper case or without
 * spaces, only if there is one. A setter is asked for values that are given anyway, so that the guard goes without saying.
 *
 * @returns undefined for any other; hashes too, as they are of another kind than those of passwords.
 */
export function translateSetter(text: string): string | undefined {
  const [, guarded] = GUARDED.exec(text.trim()) ?? [];
  return translateValue(guarded ?? text.trim());
}

function translateValue(text: string, depth = 0): string | undefined {
  if (new RegExp(`^${VALUE}$`).test(text)) return 'value';
  if (depth > 3) return undefined;
  const piped = PIPE.exec(text);
  const [, name, inner] = piped ? [piped[0], piped[2], piped[1]] : (CALL.exec(text) ?? []);
  const value = inner === undefined ? undefined : translateValue(inner.trim(), depth + 1);
  return value === undefined || name === undefined ? undefined : `${name}(${value})`;
}
