import { watched } from './watched.js';

const STALLED_MS = 60_000;

async function* letters(): AsyncGenerator<string> {
  for (const letter of ['a', 'b', 'c']) yield await Promise.resolve(letter);
}

describe('parts that are read', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('come one after the other to who reads them', async () => {
    const giveUp = jest.fn();
    const read: string[] = [];
    for await (const part of watched(letters(), STALLED_MS, giveUp)) {
      read.push(part);
      jest.advanceTimersByTime(STALLED_MS - 1);
    }
    jest.advanceTimersByTime(STALLED_MS);
    expect([read, giveUp.mock.calls]).toEqual([['a', 'b', 'c'], []]);
  });

  it('are given up where nobody takes the next one, and not where somebody ends it', async () => {
    const giveUp = jest.fn();
    const parts = watched(letters(), STALLED_MS, giveUp);
    await parts.next();
    jest.advanceTimersByTime(STALLED_MS);
    expect(giveUp).toHaveBeenCalledTimes(1);
    await parts.return(undefined);
    const ended = watched(letters(), STALLED_MS, giveUp);
    await ended.next();
    await ended.return(undefined);
    jest.advanceTimersByTime(STALLED_MS);
    expect(giveUp).toHaveBeenCalledTimes(1);
  });
});
