import { fittedIdentifier, shortHash } from '../../model/identifiers.js';

/** A change of name. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/**
 * Orders renames so that each new name is free when it is taken. Names that change places go through a temporary one,
 * so the answer can have more entries than there are renames.
 */
export function orderRenames(renames: readonly Rename[]): readonly Rename[] {
  const pending = renames.filter((rename) => rename.from !== rename.to);
  const ordered: Rename[] = [];
  while (pending.length > 0) {
    const occupied = new Set(pending.map((rename) => rename.from));
    const free = pending.findIndex((rename) => !occupied.has(rename.to));
    const [next] = pending.splice(Math.max(free, 0), 1);
    if (next === undefined) break;
    if (free >= 0) {
      ordered.push(next);
      continue;
    }
    const temporary = fittedIdentifier('_renaming', shortHash(`${next.from}\n${next.to}`, 16));
    ordered.push({ from: next.from, to: temporary });
    pending.push({ from: temporary, to: next.to });
  }
  return ordered;
}
