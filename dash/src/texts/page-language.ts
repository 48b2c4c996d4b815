/** Adds the language in the page's URL to a link that leaves the page. For guests, only the URL contains the selected language. */
export function inPageLanguage(address: string): string {
  const language = new URLSearchParams(window.location.search).get('lang');
  if (language === null) return address;
  return `${address}${address.includes('?') ? '&' : '?'}lang=${encodeURIComponent(language)}`;
}
