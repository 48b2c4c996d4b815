import { watched } from './content-export.controller.js';

const STALLED_MS = 60_000;

async function* letters(): AsyncGenerator<string> {
  for (const letter of ['a', 'b', 'c']) yield await Promise.resolve(letter);
}

describe('streamed parts', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are read in sequence', async () => {
    const giveUp = jest.fn();
    const read: string[] = [];
    for await (const part of watched(letters(), STALLED_MS, giveUp)) {
      read.push(part);
      jest.advanceTimersByTime(STALLED_MS - 1);
    }
    jest.advanceTimersByTime(STALLED_MS);
    expect([read, giveUp.mock.calls]).toEqual([['a', 'b', 'c'], []]);
  });

  it('are aborted if the reader stops reading, and not when it ends the stream', async () => {
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
