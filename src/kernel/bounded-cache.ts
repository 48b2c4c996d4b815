import { LRUCache } from 'lru-cache';

const one = (): number => 1;

/**
 * Makes a cache of at most so many entries, of which the ones used last stay. It grows with what it keeps: given the same number as
 * its `max`, the library makes room for all of them at once, which each start of an application would pay for.
 */
export function boundedCache<Value extends object | number | true>(most: number, ttl = 0): LRUCache<string, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: one, ttl });
}
