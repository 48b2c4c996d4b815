/** @internal */
const MAX_NAME_LENGTH = 64;

/**
 * Returns the most similar candidate by edit distance (insert, delete, replace, swap), ignoring case.
 *
 * @param maxDistance maximum number of edits. Default: one per three letters, at least one.
 */
export function nearName(
  name: string,
  candidates: Iterable<string>,
  maxDistance = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  if (name.length === 0 || name.length > MAX_NAME_LENGTH) return undefined;
  const lowerName = name.toLowerCase();
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - lowerName.length) >= bestDistance) continue;
    const distance = editDistance(lowerName, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns the optimal string alignment distance, or `limit` as soon as the result cannot be below it. */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let smallest = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
      smallest = Math.min(smallest, cost);
    }
    if (smallest >= limit) return limit;
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
