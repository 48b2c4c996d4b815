import { isPlainIdentifier, shortHash } from '../../../../src/data/model/identifiers.js';

/** Maximum length. Leaves room for suffixes of tables and columns, such as `_id`. @internal */
const MAX_LENGTH = 48;

/** Names used in one scope, compared case-insensitively. */
export class NameScope {
  private readonly usedNames = new Set<string>();
  private readonly counts = new Map<string, number>();

  constructor(
    usedNames: Iterable<string>,
    private readonly isReserved: (name: string) => boolean,
  ) {
    for (const name of usedNames) this.reserve(name);
  }

  has(name: string): boolean {
    return this.usedNames.has(name.toLowerCase());
  }

  reserve(name: string): void {
    this.usedNames.add(name.toLowerCase());
  }

  release(name: string): void {
    this.usedNames.delete(name.toLowerCase());
  }

  /** Returns a free, valid identifier that resembles the wanted name. */
  unique(preferred: string, suffix: string): string {
    const plain = plainName(preferred, suffix);
    let name = this.isFree(plain) ? plain : `${plain}_${suffix}`;
    const start = `${plain}_${suffix}`.toLowerCase();
    let count = this.counts.get(start) ?? 2;
    for (; !this.isFree(name); count += 1) name = `${plain}_${suffix}${count}`;
    this.counts.set(start, count);
    this.reserve(name);
    return name;
  }

  private isFree(name: string): boolean {
    return !this.has(name) && !this.isReserved(name);
  }
}

function plainName(text: string, fallback: string): string {
  if (isPlainIdentifier(text) && text.length <= MAX_LENGTH) return text;
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const named = /^[A-Za-z]/.test(plain) ? plain : `${fallback}${plain === '' ? '' : `_${plain}`}`;
  return named.length <= MAX_LENGTH ? named : `${named.slice(0, MAX_LENGTH - 7)}_${shortHash(text, 6)}`;
}
