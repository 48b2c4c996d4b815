/** Times of the same request to two kinds of things, in the order in which they were taken. */
export interface TimedKinds {
  readonly one: number[];
  readonly other: number[];
}

/**
 * Measures two kinds of requests in turn, so that whatever else the machine does falls on both alike. In each pair the
 * order is drawn, so that neither always follows the other.
 */
export async function timeInTurn(
  pairs: number,
  one: (index: number) => PromiseLike<unknown>,
  other: (index: number) => PromiseLike<unknown>,
): Promise<TimedKinds> {
  const times: TimedKinds = { one: [], other: [] };
  for (let index = 0; index < pairs; index += 1) {
    const order = Math.random() < 0.5 ? (['one', 'other'] as const) : (['other', 'one'] as const);
    for (const kind of order) times[kind].push(await milliseconds(() => (kind === 'one' ? one : other)(index)));
  }
  return times;
}

/** Returns the middle of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns how surely the two kinds differ: the standard score of the Mann–Whitney U statistic (0 for no difference at all). It asks
 * only for ranks, so that a pause of the machine weighs no more than any other slow try.
 */
export function mannWhitneyScore({ one, other }: TimedKinds): number {
  const ranked = [...one.map((value) => ({ value, one: true })), ...other.map((value) => ({ value, one: false }))];
  ranked.sort((left, right) => left.value - right.value);
  const rankSum = ranked.reduce((sum, entry, index) => sum + (entry.one ? index + 1 : 0), 0);
  const [n, m] = [one.length, other.length];
  const u = rankSum - (n * (n + 1)) / 2;
  return Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

/** Returns the width of the middle half of the values. */
export function spread(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.75)]! - sorted[Math.floor(sorted.length * 0.25)]!;
}

async function milliseconds(work: () => PromiseLike<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
