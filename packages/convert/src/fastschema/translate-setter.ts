const VALUE = String.raw`\$args\.Value`;
const CALL = new RegExp(String.raw`^(lower|upper|trim)\(\s*(.+)\s*\)$`);
/** A function after a pipe: `$args.Value | lower()`. */
const PIPE = /^(.+?)\s*\|\s*(lower|upper|trim)\(\s*\)$/;
const GUARDED = new RegExp(
  String.raw`^\$args\.Exist(?:\s*&&\s*${VALUE}\s*!=\s*(?:''|""|nil))?\s*\?\s*(.+?)\s*:\s*\$undefined$`,
);

/**
 * Translates an expr-lang expression of FastSchema to CEL. Supported are the value and `lower`, `upper` and `trim` of it, optionally
 * guarded by `$args.Exist`. The guard is dropped, because setters that use `value` run only if it is given.
 *
 * @returns undefined for other expressions, including hashes, which differ from password hashes here.
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
