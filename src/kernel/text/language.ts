import { defineLimit } from '../limits.js';

/** Languages of the pages and mails. The first one always has all texts. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Maximum length of a tag (RFC 5646 §4.4.1 requires at least 35). */
export const LANGUAGE_MAX = defineLimit(35, 'Accounts', 'characters of a language tag');
const WRITTEN_FROM_THE_RIGHT = ['ar', 'ckb', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

/** Returns a language tag in canonical form (RFC 5646: `de`, `pt-BR`), or null if it is invalid. */
export function parseLanguage(tag: string): string | null {
  if (tag.length > LANGUAGE_MAX) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}

/** Returns the first available language of those wanted, each also without region and other subtags (RFC 4647 §3.4). */
export function pickLanguage<const T extends string>(
  preferred: readonly (string | null | undefined)[],
  available: readonly T[],
): T | null {
  for (const tag of preferred) {
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
    .slice(0, MAX_HEADER_LENGTH)
    .split(',')
    .flatMap((entry) => {
      const [, tag, quality = '1'] =
        /^\s*([a-z][a-z0-9-]*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(entry) ?? [];
      return tag === undefined || Number(quality) === 0 ? [] : [{ tag, quality: Number(quality) }];
    })
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

export function directionOf(language: string): 'ltr' | 'rtl' {
  return WRITTEN_FROM_THE_RIGHT.includes(language.split('-')[0] ?? '') ? 'rtl' : 'ltr';
}

/** @internal */
const MAX_HEADER_LENGTH = 500;
