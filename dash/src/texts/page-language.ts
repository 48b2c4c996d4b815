/**
 * Adds the language that the page's address asks for to an address of the service that leads away, for the way back: whoever has
 * chosen a language before signing in has it nowhere else.
 */
export function inPageLanguage(address: string): string {
  const language = new URLSearchParams(window.location.search).get('lang');
  if (language === null) return address;
  return `${address}${address.includes('?') ? '&' : '?'}lang=${encodeURIComponent(language)}`;
}
