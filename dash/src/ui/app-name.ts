/** The product's name here; the service writes it into the page. */
export const APP_NAME = said('application-name') || 'Lintel';

/** Facts of whom the pages belong to: the address of a logo, of the terms and of the privacy policy. */
export const BRAND = {
  logo: said('app-logo'),
  terms: said('app-terms'),
  privacy: said('app-privacy'),
  remembers: said('app-remembers'),
};

function said(name: string): string | null {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content')?.trim() || null;
}
