import { amongFilter, runInBatches } from './bulk.js';

const keys = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, index) => String(index).padEnd(length, 'x'));

describe('runInBatches', () => {
  it.each([
    [450, 36],
    [450, 255],
    [3, 20_000],
  ])('passes each of %d keys of %d letters once, within the length limit', async (count, length) => {
    const all = keys(count, length);
    const parts: (readonly string[])[] = [];
    const seen: number[] = [];
    const act = async (part: readonly string[]): Promise<number> => parts.push(part);
    await runInBatches([all.slice(0, 100), all.slice(100)], act, {
      signal: new AbortController().signal,
      onProgress: (progress) => seen.push(progress.seen),
    });
    expect(parts.flat()).toEqual(all);
    expect(seen.at(-1)).toBe(count);
    for (const part of parts) {
      const address = encodeURIComponent(JSON.stringify(amongFilter({}, 'id', part)));
      expect(part.length === 1 || address.length < 11_000).toBe(true);
    }
  });

  it('stops between two batches', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let done = 0;
    const act = async (part: readonly string[]): Promise<number> => {
      done += part.length;
      if (done === 400) controller.abort();
      return part.length;
    };
    const reported: number[] = [];
    await runInBatches([keys(900, 36)], act, { signal, onProgress: (progress) => reported.push(progress.done) });
    expect([done, reported]).toEqual([400, [200, 400]]);
  });
});
