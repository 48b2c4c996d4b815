/** Returns a third of the cases in the landing tier, chosen by the seed of the commit; all of them in the full tier and for named specs. */
export function sampled<Case>(cases: readonly Case[]): readonly Case[] {
  if (process.env['TEST_TIER'] === 'full') return cases;
  const first = Number(process.env['TEST_SEED']) % 3;
  return cases.filter((_, index) => index % 3 === first);
}

/** Returns a third of a number of repetitions in the landing tier; all of them in the full tier and for named specs. */
export function sampledCount(count: number): number {
  return process.env['TEST_TIER'] === 'full' ? count : Math.ceil(count / 3);
}
