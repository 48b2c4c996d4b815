interface Measured {
  readonly words: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly meanWords: number;
  readonly longPercent: number;
}

export const PATTERNS: Readonly<Record<string, { readonly pattern: RegExp; readonly target: number }>>;
export const MAX_WORDS: number;
export function measure(paragraphs: readonly string[]): Measured;
export function markdownParagraphs(page: string): string[];
export function sourceTexts(source: string): { readonly comments: string[]; readonly texts: string[] };
