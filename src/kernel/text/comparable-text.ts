import { createRequire } from 'node:module';

type Unhomoglyph = (typeof import('unhomoglyph'))['default'];

let unhomoglyph: Unhomoglyph | undefined;

/**
 * Folds the case of a text as Unicode does in full (Unicode Standard §3.13, D144): `Straße` and `STRASSE`, the two small
 * sigmas and the like are one. The Turkish letters count as plain i: people mean the same name by them.
 */
export function foldCase(text: string): string {
  // What unfolds does so in upper case, and the capital sharp s in lower case only.
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
}

/**
 * Returns the forms by which texts that look alike are told (skeletons of Unicode UTS #39, whatever the case of each character): two
 * texts look alike if they have one in common.
 */
export function appearances(text: string): string[] {
  // It makes one pattern of 6,000 letters, for which a start and most commands need not wait.
  unhomoglyph ??= createRequire(import.meta.url)('unhomoglyph') as Unhomoglyph;
  const shape = unhomoglyph;
  return [text, foldCase(text).toUpperCase()].flatMap((spelling) => [
    shape(foldCase(spelling)),
    shape(foldCase(shape(spelling))),
  ]);
}
