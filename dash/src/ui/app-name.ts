export const APP_NAME = metaContent('application-name') || 'Lintel';

/** Branding of the operator: logo, terms and privacy policy as URLs, and the days for which browsers can be remembered. */
export const BRAND = {
  logo: metaContent('app-logo'),
  terms: metaContent('app-terms'),
  privacy: metaContent('app-privacy'),
  keepsSessionByDefault: metaContent('app-remembers'),
};

function metaContent(name: string): string | null {
  return document.querySelector(`meta[name="${name}"]`)?.getAttribute('content')?.trim() || null;
}
