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

/** Puts the name of the service into the document: where the pages read it, and into the title. */
export function nameIn(document: string, appName: string): string {
  const name = appName.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  const put = (_all: string, before: string, after: string): string => before + name + after;
  return document.replace(META, put).replace(TITLE, put);
}

/**
 * Adds the base path to the addresses in the document, and a tag from which the pages read it. The build leaves the addresses of its
 * files relative.
 */
export function placeIn(document: string, basePath: string): string {
  // The service's own addresses first: those of files get the path as well.
  const placed = document
    .replaceAll(/(href|src)="\/(?!\/)/g, `$1="${basePath}/`)
    .replaceAll('="./assets/', `="${basePath}/dash/assets/`);
  return basePath === ''
    ? placed
    : placed.replace(META, (meta) => `<meta name="app-base" content="${basePath}" />\n    ${meta}`);
}

/** Says in the document in which language it is, for those who read it aloud and for the pages, which speak it. */
export function speakIn(document: string, language: Language): string {
  return document.replace(HTML, `<html lang="${language}" dir="${directionOf(language)}"`);
}

/**
 * Says in the document why it is sent in place of what was asked for: by an error value, or `none` if the service has nothing
 * at that address, also where the pages know one like it.
 */
export function sayRefused(document: string, code: string | null): string {
  return document.replace(META, (meta) => `<meta name="page" content="${code ?? 'none'}" />\n    ${meta}`);
}
