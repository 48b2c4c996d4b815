import { defineLimit } from '../limits.js';

/** The languages that the pages and mails of the service are written in. The texts of the first are complete at all times. */
export const LANGUAGES = ['en', 'de'] as const;

/** A language of the pages and mails. */
export type Language = (typeof LANGUAGES)[number];

/** Longest tag that is kept (RFC 5646 §4.4.1 asks for 35 at least). */
export const LANGUAGE_MAX = defineLimit(35, 'Accounts', 'characters of a language tag', 'validation_failed');
const WRITTEN_FROM_THE_RIGHT = ['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

/** Returns a language tag in its canonical form (RFC 5646: `de`, `pt-BR`), or null for what is none. */
export function parseLanguage(tag: string): string | null {
  if (tag.length > LANGUAGE_MAX) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns the first language that there is of those wanted, each also without its region and the like (RFC 4647 §3.4), or null.
 *
 * @param wanted tags as they came; what is none is passed over.
 */
export function pickLanguage<const T extends string>(
  wanted: readonly (string | null | undefined)[],
  available: readonly T[],
): T | null {
  for (const tag of wanted) {
    if (!tag) continue;
    const parts = (parseLanguage(tag) ?? '').split('-');
    for (let count = parts.length; count > 0; count -= 1) {
      const shorter = parts.slice(0, count).join('-');
      const found = available.find((one) => one === shorter);
      if (found !== undefined) return found;
    }
  }
  return null;
}

/** Returns the languages of an `Accept-Language` header, best first (RFC 9110 §12.5.4). */
export function acceptedLanguages(header: string | undefined): readonly string[] {
  return (header ?? '')
    .slice(0, LONGEST_HEADER)
    .split(',')
    .flatMap((entry) => {
      const [, tag, quality = '1'] =
        /^\s*([a-z][a-z0-9-]*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(entry) ?? [];
      return tag === undefined || Number(quality) === 0 ? [] : [{ tag, quality: Number(quality) }];
    })
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

/** Returns in which direction a language is written. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return WRITTEN_FROM_THE_RIGHT.includes(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** @internal */
const LONGEST_HEADER = 500;
