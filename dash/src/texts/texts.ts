import { useSyncExternalStore } from 'react';
import type { Texts } from './en/en.js';

/** The languages of the pages, by tag (RFC 5646), as those who speak them call them. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

/** A language of the pages. */
export type Language = keyof typeof LANGUAGES;

/** Each is a file of its own, and comes when somebody reads it. */
const CATALOGUES: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en/en.js')).en,
  de: async () => (await import('./de/de.js')).de,
};

let shown: Texts | null = null;
const listeners = new Set<() => void>();

/** The texts of the pages, in the language that is spoken now. */
export function texts(): Texts {
  if (shown === null) throw new Error('No language is there yet.');
  return shown;
}

/** The same for a component: it is drawn anew in another language. */
export function useTexts(): Texts {
  return useSyncExternalStore(listen, texts);
}

/** Speaks by a catalogue from now on. */
export function showTexts(next: Texts): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Speaks a language from now on. Without its texts everything stays as it is. */
export async function speak(language: Language): Promise<void> {
  if (shown?.language === language) return;
  showTexts(await CATALOGUES[language]());
  document.documentElement.lang = language;
  document.documentElement.dir = texts().direction;
}

/** Returns the language of the pages that a tag means (`de-AT`: German), or null. */
export function languageOf(tag: string | null | undefined): Language | null {
  const name = (tag ?? '').toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(LANGUAGES, name) ? (name as Language) : null;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
