/** The product's name here; the service writes it into the page. */
export const APP_NAME =
  document.querySelector('meta[name="application-name"]')?.getAttribute('content')?.trim() || 'Lintel';
