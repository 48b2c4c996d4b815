import { setTimeout as delay } from 'node:timers/promises';
import { watched } from './watched.js';

async function* letters(): AsyncGenerator<string> {
  for (const letter of ['a', 'b', 'c']) yield await Promise.resolve(letter);
}

describe('parts that are read', () => {
  it('come one after the other to who reads them', async () => {
    const giveUp = jest.fn();
    const read: string[] = [];
    for await (const part of watched(letters(), 5, giveUp)) read.push(part);
    await delay(20);
    expect([read, giveUp.mock.calls]).toEqual([['a', 'b', 'c'], []]);
  });

  it('are given up where nobody takes the next one, and not where somebody ends it', async () => {
    const giveUp = jest.fn();
    const parts = watched(letters(), 5, giveUp);
    await parts.next();
    await delay(20);
    expect(giveUp).toHaveBeenCalledTimes(1);
    await parts.return(undefined);
    const ended = watched(letters(), 5, giveUp);
    await ended.next();
    await ended.return(undefined);
    await delay(20);
    expect(giveUp).toHaveBeenCalledTimes(1);
  });
});
