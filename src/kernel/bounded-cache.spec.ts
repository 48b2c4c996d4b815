import { setTimeout as delay } from 'node:timers/promises';
import { boundedCache } from './bounded-cache.js';

describe('a bounded cache', () => {
  it('evicts the least recently used entry only when it is full', () => {
    const cache = boundedCache<number>(3);
    ['one', 'two', 'three'].forEach((key, at) => cache.set(key, at));
    expect(cache.get('one')).toBe(0);
    cache.set('four', 3);
    expect([...cache.keys()].toSorted()).toEqual(['four', 'one', 'three']);
    cache.set('four', 4);
    expect([cache.size, cache.get('four')]).toEqual([3, 4]);
  });

  it('expires entries', async () => {
    const [short, long] = [boundedCache<true>(3, 5), boundedCache<true>(3, 60_000)];
    for (const cache of [short, long]) cache.set('one', true);
    await delay(30);
    expect([short.get('one'), long.get('one')]).toEqual([undefined, true]);
  });

  it('frees no space for existing entries', () => {
    const before = process.memoryUsage();
    const caches = Array.from({ length: 10 }, () => boundedCache<true>(1_000_000));
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    expect(caches.map(({ size }) => size)).toEqual(Array.from(caches, () => 0));
    expect(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(20_000_000);
  });
});
