export const APP_NAME = said('application-name') || 'Lintel';

/** Branding of the operator: logo, terms and privacy policy as URLs, and the days for which browsers can be remembered. */
export const BRAND = {
  logo: said('app-logo'),
  terms: said('app-terms'),
  privacy: said('app-privacy'),
  remembers: said('app-remembers'),
};

function said(name: string): string | null {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content')?.trim() || null;
}
