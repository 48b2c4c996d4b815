import { useSyncExternalStore } from 'react';
import type * as account from './en/account.js';
import type { Texts } from './en/en.js';
import type * as diagram from './en/diagram.js';
import type * as entry from './en/entry.js';
import type * as factors from './en/factors.js';
import type * as records from './en/records.js';
import type * as model from './en/model.js';
import type * as palette from './en/palette.js';
import type * as people from './en/people.js';
import type * as reference from './en/reference.js';
import type * as service from './en/service.js';
import type * as setup from './en/setup.js';

/** Supported languages by tag (RFC 5646), with their native names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

/** Texts that pages load, by file name. */
interface Parts {
  account: typeof account;
  diagram: typeof diagram;
  entry: typeof entry;
  factors: typeof factors;
  records: typeof records;
  model: typeof model;
  palette: typeof palette;
  people: typeof people;
  reference: typeof reference;
  service: typeof service;
  setup: typeof setup;
}

export type Part = keyof Parts;

/** Texts of a language: the common ones, and each part. */
interface Catalogue {
  texts: () => Promise<Texts>;
  parts: { readonly [P in Part]: () => Promise<Parts[P]> };
}

type CurrentTexts = Texts & Partial<Parts[Part]>;

/** Each file is loaded on demand. */
export const CATALOGUES: Readonly<Record<Language, Catalogue>> = {
  en: {
    texts: async () => (await import('./en/en.js')).en,
    parts: {
      account: () => import('./en/account.js'),
      diagram: () => import('./en/diagram.js'),
      entry: () => import('./en/entry.js'),
      factors: () => import('./en/factors.js'),
      records: () => import('./en/records.js'),
      model: () => import('./en/model.js'),
      palette: () => import('./en/palette.js'),
      people: () => import('./en/people.js'),
      reference: () => import('./en/reference.js'),
      service: () => import('./en/service.js'),
      setup: () => import('./en/setup.js'),
    },
  },
  de: {
    texts: async () => (await import('./de/de.js')).de,
    parts: {
      account: () => import('./de/account.js'),
      diagram: () => import('./de/diagram.js'),
      entry: () => import('./de/entry.js'),
      factors: () => import('./de/factors.js'),
      records: () => import('./de/records.js'),
      model: () => import('./de/model.js'),
      palette: () => import('./de/palette.js'),
      people: () => import('./de/people.js'),
      reference: () => import('./de/reference.js'),
      service: () => import('./de/service.js'),
      setup: () => import('./de/setup.js'),
    },
  },
};

let current: CurrentTexts | null = null;
const requestedParts = new Set<Part>();
let requestedLanguage: Language | null = null;
const listeners = new Set<() => void>();

/** Returns the texts of the current language, including a part that the page has loaded. */
export function texts(): Texts;
export function texts<P extends Part>(part: P): Texts & Parts[P];
export function texts(): CurrentTexts {
  if (current === null) throw new Error('No language is there yet.');
  return current;
}

/** Hook for {@link texts}. Renders the component again after a language change. */
export function useTexts(): Texts;
export function useTexts<P extends Part>(part: P): Texts & Parts[P];
export function useTexts(): Texts {
  return useSyncExternalStore(listen, texts as () => Texts);
}

export function showTexts(next: CurrentTexts): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Switches the language. Nothing changes if its texts cannot be loaded. */
export async function switchLanguage(language: Language): Promise<void> {
  requestedLanguage = language;
  if (current?.language === language) return;
  const { texts: load, parts } = CATALOGUES[language];
  let next: CurrentTexts = await load();
  const loaded = new Set<Part>();
  // A page that is opened meanwhile may request another part.
  for (;;) {
    const missing = [...requestedParts].filter((part) => !loaded.has(part));
    if (missing.length === 0) break;
    for (const partTexts of await Promise.all(missing.map((part) => parts[part]()))) next = { ...next, ...partTexts };
    for (const part of missing) loaded.add(part);
  }
  // The user selected another language meanwhile.
  if (requestedLanguage !== language) return;
  showTexts(next);
  document.documentElement.lang = language;
  document.documentElement.dir = next.direction;
}

export function withTexts<T>(part: Part, load: () => Promise<T>): () => Promise<T> {
  return async () => (await Promise.all([load(), loadPart(part)]))[0];
}

/** Returns the supported language of a tag (`de-AT`: German), or null. */
export function languageOf(tag: string | null | undefined): Language | null {
  const name = (tag ?? '').toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(LANGUAGES, name) ? (name as Language) : null;
}

/** Loads a part in the current language, which may change meanwhile. */
async function loadPart(part: Part): Promise<void> {
  requestedParts.add(part);
  for (;;) {
    const { language } = texts();
    const partTexts = await CATALOGUES[language as Language].parts[part]();
    if (texts().language !== language) continue;
    showTexts({ ...texts(), ...partTexts });
    return;
  }
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
