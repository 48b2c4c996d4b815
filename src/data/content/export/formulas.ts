/** Pattern of text that spreadsheets take for the beginning of a formula, also behind spaces, and in the wide letters of East Asia. */
const FORMULA = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/u;

/**
 * Makes text harmless that a spreadsheet would compute, by an apostrophe before it. What begins with one already gets another one, so
 * that {@link withoutEscape} returns every text as it was.
 */
export function withEscape(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Takes away what {@link withEscape} has put before a text. */
export function withoutEscape(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
