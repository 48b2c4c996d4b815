import { directionOf, type Language } from '../../kernel/text/language.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const META = /(<meta name="application-name" content=")[^"]*(")/;
const HTML = /<html lang="[^"]*"(?: dir="[^"]*")?/;
const TITLE = /(<title>)[^<]*(<\/title>)/;

/** Inserts the name of the service into the document: in a meta tag for the pages, and in the title. */
export function nameIn(document: string, appName: string): string {
  const name = appName.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  const put = (_all: string, before: string, after: string): string => before + name + after;
  return document.replace(META, put).replace(TITLE, put);
}

/** Adds the base path to the URLs in the document, and a meta tag for the pages. The build writes relative URLs for its files. */
export function placeIn(document: string, basePath: string): string {
  // Replace the absolute URLs first, because file URLs also get the base path.
  const placed = document
    .replaceAll(/(href|src)="\/(?!\/)/g, `$1="${basePath}/`)
    .replaceAll('="./assets/', `="${basePath}/dash/assets/`);
  return basePath === ''
    ? placed
    : placed.replace(META, (meta) => `<meta name="app-base" content="${basePath}" />\n    ${meta}`);
}

/** Sets the language of the document, for screen readers and for the pages. */
export function speakIn(document: string, language: Language): string {
  return document.replace(HTML, `<html lang="${language}" dir="${directionOf(language)}"`);
}

/**
 * Adds the reason why the document is sent instead of the requested page. It is an error code, or `none` if the server has no page at that
 * URL, even if the web application knows a similar one.
 */
export function sayRefused(document: string, code: string | null): string {
  return document.replace(META, (meta) => `<meta name="page" content="${code ?? 'none'}" />\n    ${meta}`);
}
