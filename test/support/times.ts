/** Durations of the same request for two kinds of targets, in measurement order. */
export interface TimedKinds {
  readonly one: number[];
  readonly other: number[];
}

/** Measures two kinds of requests alternately, so that other load affects both equally. The order within each pair is random. */
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

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns the absolute standard score of the Mann–Whitney U statistic; 0 means no difference. It uses ranks, so a single pause of the
 * machine weighs no more than any other slow request.
 */
export function mannWhitneyScore({ one, other }: TimedKinds): number {
  const ranked = [...one.map((value) => ({ value, one: true })), ...other.map((value) => ({ value, one: false }))];
  ranked.sort((left, right) => left.value - right.value);
  const rankSum = ranked.reduce((sum, entry, index) => sum + (entry.one ? index + 1 : 0), 0);
  const [n, m] = [one.length, other.length];
  const u = rankSum - (n * (n + 1)) / 2;
  return Math.abs(u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

export function spread(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length * 0.75)]! - sorted[Math.floor(sorted.length * 0.25)]!;
}

async function milliseconds(work: () => PromiseLike<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
