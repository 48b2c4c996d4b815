/** Text that spreadsheets interpret as a formula, also after spaces and with full-width characters. */
const FORMULA = /^'*(?:\s*[=+\-@＝＋－＠]|[\t\r\n])/u;

/**
 * Adds an apostrophe to text that a spreadsheet would evaluate. Text that already starts with an apostrophe gets a second one, so that
 * {@link withoutEscape} restores the original.
 */
export function withEscape(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

export function withoutEscape(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}
