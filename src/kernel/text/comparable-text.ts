import { createRequire } from 'node:module';

type Unhomoglyph = (typeof import('unhomoglyph'))['default'];

let unhomoglyph: Unhomoglyph | undefined;

/**
 * Folds the case of a text with full Unicode case folding (Unicode Standard §3.13, D144): `Straße` equals `STRASSE`, and both small sigmas
 * are equal. The Turkish letters are folded to a plain i, because users treat them as the same name.
 */
export function foldCase(text: string): string {
  // Letters that expand do so in upper case, and the capital sharp s only in lower case.
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
}

/** Returns skeletons (Unicode UTS #39), for both cases of each character. Texts with a common skeleton look alike. */
export function appearances(text: string): string[] {
  // Loaded on demand: the library builds a pattern of 6,000 letters, which would slow down the start.
  unhomoglyph ??= createRequire(import.meta.url)('unhomoglyph') as Unhomoglyph;
  const shape = unhomoglyph;
  return [text, foldCase(text).toUpperCase()].flatMap((spelling) => [
    shape(foldCase(spelling)),
    shape(foldCase(shape(spelling))),
  ]);
}
