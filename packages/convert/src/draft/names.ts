import { isPlainIdentifier, shortHash } from '../../../../src/data/model/identifiers.js';

/** Maximum length. Leaves room for suffixes of tables and columns, such as `_id`. @internal */
const LONGEST = 48;

/** Names used in one scope, compared case-insensitively. */
export class NameScope {
  private readonly taken = new Set<string>();
  private readonly counts = new Map<string, number>();

  constructor(
    taken: Iterable<string>,
    private readonly isReserved: (name: string) => boolean,
  ) {
    for (const name of taken) this.take(name);
  }

  has(name: string): boolean {
    return this.taken.has(name.toLowerCase());
  }

  take(name: string): void {
    this.taken.add(name.toLowerCase());
  }

  release(name: string): void {
    this.taken.delete(name.toLowerCase());
  }

  /** Returns a free, valid identifier that resembles the wanted name. */
  give(wanted: string, suffix: string): string {
    const plain = plainName(wanted, suffix);
    let name = this.isFree(plain) ? plain : `${plain}_${suffix}`;
    const start = `${plain}_${suffix}`.toLowerCase();
    let count = this.counts.get(start) ?? 2;
    for (; !this.isFree(name); count += 1) name = `${plain}_${suffix}${count}`;
    this.counts.set(start, count);
    this.take(name);
    return name;
  }

  private isFree(name: string): boolean {
    return !this.has(name) && !this.isReserved(name);
  }
}

function plainName(text: string, fallback: string): string {
  if (isPlainIdentifier(text) && text.length <= LONGEST) return text;
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const named = /^[A-Za-z]/.test(plain) ? plain : `${fallback}${plain === '' ? '' : `_${plain}`}`;
  return named.length <= LONGEST ? named : `${named.slice(0, LONGEST - 7)}_${shortHash(text, 6)}`;
}
